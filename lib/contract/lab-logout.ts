import { z } from 'zod';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { form, inBrowser } from '@/lib/contract/lab-protocol';
import { object, resource } from '@/lib/contract/resource';

const LogoutParameters = z
  .object({
    id_token_hint: z
      .string()
      .describe('An ID token of the lab. It names the client and the session; it may have expired.'),
    client_id: z.string().describe('Must agree with the ID token.').meta({ example: 'demo-client' }),
    post_logout_redirect_uri: z
      .string()
      .describe('A registered URI, character for character.')
      .meta({ example: 'https://app.example.com/signed-out' }),
    state: z.string().describe('Comes back to `post_logout_redirect_uri`.'),
    logout_hint: z.string().describe('Ignored: the lab has one user.'),
  })
  .partial()
  .meta({ id: 'LogoutRequest' });

const EXAMPLE = {
  client_id: 'demo-client',
  post_logout_redirect_uri: 'https://app.example.com/signed-out',
  state: 'af0ifjsldkj',
};

const logout = resource(LAB_PATHS.logout, inBrowser);
const page = {
  status: 200,
  description: 'A page that asks, or says that the session ended.',
  mediaTypes: ['text/html'],
} as const;

export const logOut = logout.get('logOut', 'public', {
  summary: 'Sign out (OpenID Connect RP-Initiated Logout)',
  description: 'Ends the access tokens of the session that the ID token names. Without an ID token a page asks first.',
  query: LogoutParameters,
  example: { query: EXAMPLE },
  response: page,
});

export const logOutByPost = logout.post('logOutByPost', 'public', {
  summary: 'Sign out by POST',
  body: form(LogoutParameters),
  example: { body: EXAMPLE },
  response: page,
});

export const decideLogout = resource(LAB_PATHS.logoutDecision, inBrowser).post('decideLogout', 'public', {
  summary: 'Submit the page that asks before a logout',
  body: form(object('LogoutDecision', { ticket: z.string(), decision: z.string().describe('`approve` or `deny`.') })),
  example: { body: { ticket: 'from the page', decision: 'approve' } },
  response: { status: 200, description: 'A page, if there is no address to redirect to.', mediaTypes: ['text/html'] },
});
