import { defineCommand, isOn } from '@/cli/command';

export const login = defineCommand({
  name: 'login',
  summary: 'Store a server and a token for later commands',
  description:
    "Asks for the address and an admin token, which stays hidden, and verifies the token before storing both. They are stored in this user's configuration folder, in a file that only this user can read. The token is sent to this server only. SLUICE_URL and SLUICE_TOKEN take precedence.",
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
  summary: 'Delete the stored token of a server',
  description: 'The token itself stays valid: `sluice tokens revoke` ends it.',
  options: [{ flag: 'all', description: 'Delete every stored server and token.' }],
  examples: ['sluice logout', 'sluice logout --all'],
  async run(context, input) {
    const { logOut } = await import('@/cli/login/log-out');
    return logOut(context, isOn(input, 'all'));
  },
});
