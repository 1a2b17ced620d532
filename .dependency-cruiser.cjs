/** One way down: app, components, proxy -> lib/<face> -> limiter, counters, db -> nothing of ours. */
const inside = (...folders) => ({ path: folders.map((folder) => `^${folder}`) });

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'lib-knows-no-app',
      severity: 'error',
      from: inside('lib/'),
      to: inside('app/', 'components/', 'proxy\\.ts'),
    },
    {
      name: 'no-react-or-next-below-the-app',
      severity: 'error',
      from: { path: '^lib/', pathNot: ['^lib/http/', '^lib/auth/next-auth/'] },
      to: { path: 'node_modules/(react|react-dom|next)/' },
    },
    {
      name: 'limiter-stands-alone',
      severity: 'error',
      from: inside('lib/limiter/'),
      to: { path: '^lib/', pathNot: '^lib/(limiter/|units)' },
    },
    {
      name: 'counters-stand-on-limiter-and-db',
      severity: 'error',
      from: inside('lib/counters/'),
      to: { path: '^lib/(?!counters/|limiter/|db/|units)' },
    },
    {
      name: 'db-stands-alone',
      severity: 'error',
      from: inside('lib/db/'),
      to: { path: '^lib/', pathNot: '^lib/(db/|units)' },
    },
    {
      name: 'the-lab-knows-no-admin',
      severity: 'error',
      comment: 'A lab that is weakened must not be able to weaken anything else.',
      from: inside('lib/oauth/'),
      to: inside('lib/admin/', 'lib/auth/', 'lib/enforcement/'),
    },
    {
      name: 'components-know-no-server',
      severity: 'error',
      from: inside('components/'),
      to: {
        path: '^lib/(db|counters|enforcement|admin|auth|runtime|statistics)',
        // Pure, and the very rules that decide: the tester of the route rules runs them in the browser.
        pathNot: '^lib/enforcement/route-rules[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tests-stay-outside',
      severity: 'error',
      from: inside('lib/', 'app/', 'components/'),
      to: inside('tests/', 'bench/'),
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
