import { defineCommand, isOn } from '@/cli/command';

export const login = defineCommand({
  name: 'login',
  summary: 'Keep a server and a token for later commands',
  description:
    'Asks for the address and for an admin token, which the screen does not show; the server is asked whose it is before anything is kept. Both stand in the configuration folder of this user, in a file that nobody else can read. The token is sent to this server only. SLUICE_URL and SLUICE_TOKEN go before what is kept.',
  arguments: [
    { name: 'server', description: 'Address of the server, such as https://sluice.example.com.', optional: true },
  ],
  examples: [
    'sluice login https://sluice.example.com',
    'pass show sluice | sluice login https://sluice.example.com --token-stdin',
  ],
  async run(context, input) {
    const { logIn } = await import('@/cli/login/log-in');
    return logIn(context, input.arguments.server);
  },
});

export const logout = defineCommand({
  name: 'logout',
  summary: 'Forget the token of a server',
  description: 'The token itself stays valid: `sluice tokens revoke` ends it.',
  options: [{ flag: 'all', description: 'Forget every server and token.' }],
  examples: ['sluice logout', 'sluice logout --all'],
  async run(context, input) {
    const { logOut } = await import('@/cli/login/log-out');
    return logOut(context, isOn(input, 'all'));
  },
});
