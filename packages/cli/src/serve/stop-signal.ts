/** Resolves at the first SIGTERM or SIGINT. A second signal ends the process. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      resolve();
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
