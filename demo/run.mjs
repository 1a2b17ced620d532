// npm run demo: the product with demonstration data, on a throwaway database. PORT says where; 3100 otherwise.
// --empty: a fresh installation. --still: no live requests.
import { startDemo } from './start-demo.mjs';

const port = Number(process.env.PORT || 3100);
console.log('Starting the demonstration: a month of made-up administration and traffic takes some seconds.');
const demo = await startDemo({
  port,
  empty: process.argv.includes('--empty'),
  live: !process.argv.includes('--still'),
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
