import { parseAddress } from '@/lib/limiter/address';
import { runtime } from '@/lib/process/runtime';

/* A function on a platform: starts, decides once, and waits to be ended. It has no periodic work. */
const services = await runtime();
process.send?.('started');
const decide = (ip: string) =>
  services.engine.decide({ method: 'GET', path: '/', address: parseAddress(ip), requestId: null });
process.on('message', async (ip: string) => {
  const { degraded } = await decide(ip);
  process.send?.(degraded ? 'degraded' : 'decided');
});
process.on('disconnect', () => process.exit());
