/** Runs once in each process before the first request: configuration, migrations, the first owner, housekeeping. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: Next puts the values in when it builds.
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  const { startProcess } = await import('@/lib/process/start');
  await startProcess();
}
