import { selectUserClaims } from '@/lib/oauth/lab/grant';
import { createResourceEndpoint } from '@/lib/oauth/lab/resource-endpoint';
import { answerJson } from '@/lib/oauth/lab/respond';

/**
 * Handles `GET` and `POST /auth/userinfo`. Returns the claims that the token's scope covers (OpenID Connect Core 5.3,
 * 5.4).
 */
export const readUserinfo = createResourceEndpoint({
  scope: 'openid',
  answer: ({ sub, scope }) => answerJson(200, { sub, ...selectUserClaims(scope) }),
});
