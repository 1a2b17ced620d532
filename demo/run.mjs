import { readArguments } from '../server/read-arguments.mjs';
import { startDemo } from './start-demo.mjs';

const { values } = readArguments({
  usage: 'npm run demo --',
  summary: 'Runs the product with demonstration data, on a throwaway database. Its port is 3100, or PORT.',
  options: {
    empty: { description: 'Show a fresh installation.' },
    still: { description: 'Send no live requests.' },
  },
});
const port = Number(process.env.PORT || 3100);
console.log('Starting the demonstration: a month of made-up administration and traffic takes some seconds.');
const demo = await startDemo({
  port,
  empty: values.empty === true,
  live: values.still !== true,
  quiet: false,
}).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
console.log(`
  Demonstration   http://localhost:${port}
  Sign in         ${demo.email} / ${demo.password}
  Admin token     ${demo.token}
  Database        ${demo.directory} (removed at the end)

  All of this is made up. Ctrl+C ends it.
`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => demo.stop().then(() => process.exit(0)));
process.exitCode = await demo.ended;
