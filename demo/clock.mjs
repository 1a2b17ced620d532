// Loaded into the demonstration's server before anything else: lets the parent set the clock, so that a month of
// administration is recorded by the product itself, each change at the time that it tells.
const real = Date.now;
let offset = 0;
Date.now = () => real() + offset;
process.on('message', ({ clock }) => {
  offset = clock === null ? 0 : clock - real();
  process.send({ clock });
});
// Nobody is left who would end it.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
