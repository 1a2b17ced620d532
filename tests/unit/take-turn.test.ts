import { expect, it } from 'vitest';
import { takeTurn } from '@/lib/take-turn';

it('each step of long work has its own turn of the event loop', async () => {
  let turn = 0;
  const tick = () => {
    turn += 1;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  const turns: number[] = [];
  const work = async (steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      await takeTurn();
      turns.push(turn);
    }
  };
  await Promise.all([work(3), work(7), work(1), work(5)]);
  clearImmediate(next);
  expect(turns).toHaveLength(16);
  expect(new Set(turns).size).toBe(16);
});
