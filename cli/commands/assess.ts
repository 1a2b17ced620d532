import { defineCommand } from '@/cli/command';

const CLIENT = 'Client';
const SIGN_IN = 'Sign-in';
const REPORT = 'Report';

/** The assessment engine is a separate chunk, so that no other command loads it. */
export const assess = defineCommand({
  name: 'oauth assess',
  summary: 'Assess an OAuth server from this machine',
  description:
    'Runs the catalogue of controls against an authorization server, or that of a protected resource such as an MCP server, and reports failures with their fixes. Without a client, it registers some if the server offers that, you sign in once in a browser, and they are removed at the end. It runs on this machine and needs no Sluice server. Assess only servers that you may test: it sends several hundred requests, and the last ones may end the grant of the person who signed in. The file references secrets and never contains them: `secret: {env: NAME}`, `{file: PATH}` or `{stdin: true}`.',
  arguments: [
    {
      name: 'address',
      description: 'Issuer, URL of a protected resource, or `lab`. Default: the target in the file.',
      optional: true,
    },
  ],
  options: [
    { flag: 'config', short: 'c', value: 'FILE', description: 'The target and its clients, in YAML or JSON.' },
    { flag: 'resource', description: 'The address is a protected resource. Default: detected by its metadata.' },
    { flag: 'name', value: 'NAME', description: 'Heading of the report.' },
    {
      flag: 'client-id',
      value: 'ID',
      description: 'Client that is registered at the server. Default: one is registered for the assessment.',
      group: CLIENT,
    },
    {
      flag: 'redirect-uri',
      value: 'URI',
      description: 'Redirect URI of the client. Default: http://127.0.0.1:8976/callback.',
      group: CLIENT,
    },
    {
      flag: 'client-secret-env',
      value: 'NAME',
      description: 'Environment variable with the client secret.',
      group: CLIENT,
    },
    { flag: 'client-secret-stdin', description: 'Read the client secret from stdin.', group: CLIENT },
    { flag: 'scope', value: 'SCOPE', description: 'Scope to request. Default: `openid`.', group: CLIENT },
    {
      flag: 'login',
      value: 'HOW',
      choices: ['browser', 'cookie', 'none'],
      description: 'Sign-in: you in a browser, none, or the session of a cookie.',
      group: SIGN_IN,
    },
    {
      flag: 'cookie-env',
      value: 'NAME',
      description: 'Environment variable with the Cookie header of a signed-in browser.',
      group: SIGN_IN,
    },
    { flag: 'print-url', description: 'Only print the URL to open, without starting a browser.', group: SIGN_IN },
    {
      flag: 'allow',
      value: 'CIDR',
      repeatable: true,
      description: 'Private range, address or host to allow; also SLUICE_ASSESS_ALLOW.',
    },
    { flag: 'off', value: 'CONTROL', repeatable: true, description: 'Control to switch off (`lab` only).' },
    { flag: 'fapi', description: 'Switch on what FAPI 2.0 requires beyond OAuth 2.1 (`lab` only).' },
    {
      flag: 'format',
      value: 'FORMAT',
      choices: ['json', 'markdown', 'html', 'sarif', 'junit'],
      description: 'Default: text for a terminal.',
      group: REPORT,
    },
    {
      flag: 'output',
      short: 'o',
      value: 'FILE',
      description: 'Write the report to this file, and a summary to the terminal.',
      group: REPORT,
    },
    {
      flag: 'baseline',
      value: 'FILE',
      description: 'Earlier report in JSON: only new failures count.',
      group: REPORT,
    },
    {
      flag: 'fail-on',
      value: 'SEVERITY',
      choices: ['critical', 'high', 'medium', 'low'],
      description: 'Exit code 5 for a failure this severe or worse.',
      group: REPORT,
    },
  ],
  examples: [
    'sluice oauth assess https://mcp.example.com/mcp',
    'sluice oauth assess https://login.example.com --login none',
    'sluice oauth assess https://mcp.example.com/mcp --client-id my-client --login browser',
    'sluice oauth assess --config assess.yaml --format sarif --output oauth.sarif --fail-on high',
    'sluice oauth assess lab --off require-pkce',
  ],
  async run(context, input) {
    const { assessCommand } = await import('@/cli/assess/command');
    return assessCommand(context, input);
  },
});

export const controls = defineCommand({
  name: 'oauth controls',
  summary: 'List the controls of assessments',
  description: 'The catalogue of this build, most severe first. Needs no server.',
  examples: ['sluice oauth controls', 'sluice oauth controls --json'],
  async run({ output }) {
    const { CONTROLS } = await import('@/lib/oauth/report/describe-control');
    if (output.json) return output.show(CONTROLS);
    const rows = CONTROLS.map(({ id, severity, area, title, needs }) => ({
      control: id,
      severity,
      area,
      title,
      needs,
    }));
    return output.printTable(rows, ['control', 'severity', 'area', 'title', 'needs']);
  },
});
