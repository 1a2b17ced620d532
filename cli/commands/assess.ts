import { defineCommand } from '@/cli/command';

const CLIENT = 'Client';
const SIGN_IN = 'Sign-in';
const REPORT = 'Report';

/** The assessment engine is a separate chunk, so that no other command loads it. */
export const assess = defineCommand({
  name: 'oauth assess',
  summary: 'Assess an OAuth server from this machine',
  description:
    'Goes through the catalogue of controls at an authorization server, or at the one of a protected resource such as an MCP server, and reports what failed with what to change. It runs on this machine and needs no Sluice server. Assess only servers that you may test: several hundred requests are sent, and the last ones may end the grant of the person who signed in. Secrets are named in the file, never written there: `secret: {env: NAME}`, `{file: PATH}` or `{stdin: true}`.',
  arguments: [
    {
      name: 'address',
      description: 'Issuer, URL of a protected resource, or `lab`; the file names one when absent.',
      optional: true,
    },
  ],
  options: [
    { flag: 'config', short: 'c', value: 'FILE', description: 'The target and its clients, in YAML or JSON.' },
    { flag: 'resource', description: 'The address is a protected resource. Found out by its metadata when absent.' },
    { flag: 'name', value: 'NAME', description: 'Heading of the report.' },
    { flag: 'client-id', value: 'ID', description: 'A client that is registered at the server.', group: CLIENT },
    {
      flag: 'redirect-uri',
      value: 'URI',
      description: 'Registered for it. http://127.0.0.1:8976/callback when absent.',
      group: CLIENT,
    },
    { flag: 'client-secret-env', value: 'NAME', description: 'The variable that holds its secret.', group: CLIENT },
    { flag: 'client-secret-stdin', description: 'Its secret comes on stdin.', group: CLIENT },
    { flag: 'scope', value: 'SCOPE', description: 'What to ask for; `openid` when absent.', group: CLIENT },
    {
      flag: 'login',
      value: 'HOW',
      choices: ['browser', 'cookie', 'none'],
      description: 'Who signs in: you in a browser, nobody, or the session of a cookie.',
      group: SIGN_IN,
    },
    {
      flag: 'cookie-env',
      value: 'NAME',
      description: 'The variable that holds the Cookie header of a signed-in browser.',
      group: SIGN_IN,
    },
    { flag: 'print-url', description: 'Only print the address to open; start no browser.', group: SIGN_IN },
    {
      flag: 'allow',
      value: 'CIDR',
      repeatable: true,
      description: 'A private range, address or host that may be reached; also SLUICE_ASSESS_ALLOW.',
    },
    { flag: 'off', value: 'CONTROL', repeatable: true, description: 'Of `lab`: a control that is switched off.' },
    {
      flag: 'format',
      value: 'FORMAT',
      choices: ['json', 'markdown', 'html', 'sarif', 'junit'],
      description: 'Text for people when absent.',
      group: REPORT,
    },
    {
      flag: 'output',
      short: 'o',
      value: 'FILE',
      description: 'Write the report there, and a summary to the terminal.',
      group: REPORT,
    },
    {
      flag: 'baseline',
      value: 'FILE',
      description: 'An earlier report in JSON: only what failed since then counts.',
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
    'sluice oauth assess https://login.example.com',
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
  summary: 'List the controls that assessments go through',
  description: 'The catalogue of this build, the most severe first. It needs no server.',
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
    return output.table(rows, ['control', 'severity', 'area', 'title', 'needs']);
  },
});
