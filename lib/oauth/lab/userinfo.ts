import { userClaims } from '@/lib/oauth/lab/grant';
import { resourceEndpoint } from '@/lib/oauth/lab/resource-endpoint';
import { answerJson } from '@/lib/oauth/lab/respond';

/** `GET` and `POST /auth/userinfo`: the claims that the scope of the token stands for (OpenID Connect Core sections 5.3, 5.4). */
export const readUserinfo = resourceEndpoint({
  scope: 'openid',
  answer: ({ sub, scope }) => answerJson(200, { sub, ...userClaims(scope) }),
});
