/** Imports only go down. A room may import the rooms above it in this list, never one below; docs/architecture.md draws it. */
const FLOORS = [
  'lib/ids[.]ts',
  'lib/units[.]ts',
  'lib/format-number[.]ts',
  'lib/json[.]ts',
  'lib/shell-quote[.]ts',
  'lib/semaphore[.]ts',
  'lib/split-in-steps[.]ts',
  'drizzle/',
  'lib/limiter/',
  'lib/logging/',
  'lib/db/',
  'lib/tracing/',
  'lib/counters/',
  'lib/http/',
  'lib/mail/',
  'lib/contract/',
  'lib/config/',
  'lib/fault[.]ts',
  'lib/statistics/',
  'lib/auth/',
  'lib/oauth/',
  'lib/enforcement/',
  'lib/operation/',
  'lib/admin/',
  'lib/openapi/',
  'lib/api/',
  'lib/process/',
  'client/',
  'cli/',
  'components/',
  '(app/|proxy[.]ts|instrumentation[.]ts|server/|server[.]mjs)',
];

/**
 * The modules of `components`, lowest first: the kit, then resources, then the frame around every page. A module imports
 * only modules above its line. What the kit needs of a resource is passed in (`identifier/subject-actions.tsx`).
 */
const COMPONENTS = [
  ...[
    'ui',
    'format',
    'vocabulary',
    'links',
    'api',
    'chart',
    'shell',
    'list',
    'form',
    'policies',
    'batch',
    'identifier',
    'limit-use',
  ],
  ...['incident', 'docs', 'alerts', 'allowlist', 'audit-log', 'decisions', 'members', 'tokens', 'session', 'oauth'],
  ...['route-rules', 'explanation', 'named-limits', 'keys', 'help', 'candidates', 'limits', 'overrides', 'exceptions'],
  ...['inbox', 'first-hour', 'statistics', 'settings', 'palette', 'frame'],
];

/**
 * The modules of `lib/admin`, lowest first: the mechanism of a change, the resources, and what joins them. A module
 * imports only modules before it in this list. What the mechanism needs of a resource is passed in.
 */
const ADMIN = [
  ...['stored-list[.]ts', 'new-row[.]ts', 'expiry[.]ts', 'change[.]ts', 'setting[.]ts', 'change-kind/', 'effect/'],
  ...['service/', 'keys/', 'policies/', 'exception-kind/', 'allowlist/', 'grants/', 'route-rules/'],
  ...[
    'named-limits/',
    'overrides/',
    'candidates/',
    'incident/',
    'limits/',
    'members/',
    'session/',
    'tokens/',
    'alerts/',
    'webhooks/',
    'assessments/',
  ],
  ...['oauth-requests/', 'lab/', 'decisions/', 'statistics/', 'first-hour/'],
  ...['changes[.]ts', 'exceptions/', 'add-effects[.]ts', 'undo/', 'audit-log/', 'state/', 'batch/'],
  ...['housekeeping/', 'counter-store/', 'backup/'],
];

const path = (...rooms) => ({ path: rooms.map((room) => `^${room}`) });
const error = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    error('no-circles', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    ...FLOORS.slice(0, -1).map((room, floor) =>
      error(`imports-go-down-from-${room.replace(/\W+/g, '-')}`, path(room), path(...FLOORS.slice(floor + 1))),
    ),
    ...COMPONENTS.slice(0, -1).map((module, floor) =>
      error(
        `components-import-down-from-${module}`,
        path(`components/${module}/`),
        path(...COMPONENTS.slice(floor + 1).map((above) => `components/${above}/`)),
      ),
    ),
    ...ADMIN.slice(0, -1).map((module, floor) =>
      error(
        `admin-imports-down-from-${module.replace(/\W+/g, '-')}`,
        path(`lib/admin/${module}`),
        path(...ADMIN.slice(floor + 1).map((above) => `lib/admin/${above}`)),
      ),
    ),
    error(
      'every-part-of-admin-has-a-module',
      { path: '^lib/admin/', pathNot: `^lib/admin/(${ADMIN.join('|')})` },
      {},
      'A new folder needs its line in ADMIN.',
    ),
    error(
      'every-component-has-a-module',
      { path: '^components/', pathNot: `^components/(${COMPONENTS.join('|')})/` },
      {},
      'A new folder needs its line in COMPONENTS.',
    ),
    {
      name: 'no-circles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(components|lib/admin)/[^/]+$' },
      to: { circular: true },
    },
    error('limiter-is-pure', path('lib/limiter/'), path('lib/(?!limiter/|units)', 'drizzle/')),
    error('db-knows-no-feature', path('lib/db/'), path('lib/(?!db/|units|split-in-steps|bounded-fetch|semaphore)')),
    error(
      'counters-stand-on-limiter-and-db',
      path('lib/counters/'),
      path('lib/(?!counters/|limiter/|db/|units|json|split-in-steps)'),
    ),
    error('http-is-pure', path('lib/http/'), path('lib/(db|counters|config)', 'drizzle/')),
    error(
      'contracts-run-in-a-browser',
      path('lib/contract/'),
      { path: ['^drizzle/', '^lib/(db|counters)/', '^node:'], dependencyTypesNot: ['type-only'] },
      'The dashboard, the command line and other programs read them.',
    ),
    error(
      'the-lab-knows-no-administration',
      path('lib/oauth/'),
      path('lib/(auth|statistics|db|counters)/'),
      'A lab that is weakened must not be able to weaken anything else.',
    ),
    error('enforcement-knows-no-lab', path('lib/enforcement/'), path('lib/oauth/')),
    error('components-know-no-server', path('components/'), {
      path: '^(drizzle|lib/(db|counters|enforcement|operation|admin|auth|process|statistics))/',
      // Pure, and the very rules that decide: the tester of the route rules runs them in the browser.
      pathNot: '^lib/enforcement/(route-rules|classify|built-in-paths)[.]ts$',
      dependencyTypesNot: ['type-only'],
    }),
    error(
      'the-command-line-loads-no-server-code',
      { path: '^cli/', pathNot: '^cli/(assess|stores)/' },
      {
        path: ['^lib/', '^drizzle/', '^components/'],
        // Of the contracts and of the assessments only types, and what is imported when it is used.
        pathNot: ['^lib/(oauth|http|contract)/', '^lib/(units|json|shell-quote|openapi/manifest)[.]ts$'],
      },
      'It is made from the manifest; what an assessment or work on the stores needs is a chunk of its own.',
    ),
    error('an-assessment-knows-no-server', path('cli/assess/'), {
      path: ['^lib/(?!oauth/|http/|contract/|units[.]|json[.])', '^drizzle/', '^components/'],
    }),
    // The types of `api.ts` come from a generator in the package; `node-exchange.ts` is in that for Node.
    error(
      'the-client-has-no-dependency',
      { path: '^client/', pathNot: '^client/(api|node-exchange)[.]ts$' },
      {
        path: ['^lib/', '^node:', 'node_modules/'],
        // Pure: without the server the client counts by its windows, reads addresses and classifies as it does. An
        // application of Next brings Next.
        pathNot: [
          '^lib/limiter/(address|embedded-ipv4|older-slots|sliding-counter|window|written-address)[.]ts$',
          '^lib/enforcement/(built-in-paths|classify|path-readings|usual-class)[.]ts$',
          'node_modules/next/server[.]js$',
        ],
      },
    ),
    error('nothing-runs-the-packages', path('lib/', 'components/', 'app/', 'server/'), path('cli/', 'client/')),
    error(
      'no-react-or-next-below-the-app',
      { path: '^lib/', pathNot: ['^lib/http/', '^lib/auth/next-auth/'] },
      { path: 'node_modules/(react|react-dom|next)/' },
    ),
    error(
      'mail-is-loaded-on-demand',
      { path: '^(app|lib|cli|client|components|server)' },
      { path: 'node_modules/nodemailer/', dynamic: false },
      'Few processes ever send a mail.',
    ),
    error('tests-stay-outside', path('lib/', 'app/', 'components/', 'server/'), path('tests/', 'bench/', 'demo/')),
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
