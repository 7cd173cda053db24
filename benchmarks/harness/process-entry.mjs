// Entry point of every measuring process. `process-entry.mjs MODULE run NAME` runs an experiment.
// `process-entry.mjs MODULE trial NAME JSON` runs one trial of an experiment.
const [module, role, name, parameters = '{}'] = process.argv.slice(2);
const { experiments, trials } = await import(module);

if (role === 'run') await experiments[name]();
else {
  await trials[name](JSON.parse(parameters));
  if (process.connected) process.disconnect();
}
