/** A machine as one line, in a file of its own: who shows records needs no Brezel. @param {ReturnType<typeof import('./machine.mjs').machine>} of */
export const machineLine = (of) =>
  `${of.cpu}, ${of.cores} cores, ${of.memoryGiB} GiB, ${of.platform}, Node ${of.node}, ${of.rival}, kernels ${of.isa}, commit ${of.commit}, ${of.date}`;
