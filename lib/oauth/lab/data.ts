import { DATA_METADATA_PATH } from '@/lib/contract/lab-paths';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { listDisabledControls, RESOURCE_CONTROLS } from '@/lib/oauth/lab/controls';
import { createResourceEndpoint } from '@/lib/oauth/lab/resource-endpoint';
import { DATA_SCOPE } from '@/lib/oauth/lab/resources';
import { answerJson, listControls } from '@/lib/oauth/lab/respond';

/** Handles `GET /api/data`, the resource server of the lab. */
export const readData = createResourceEndpoint({
  scope: DATA_SCOPE,
  metadataPath: DATA_METADATA_PATH,
  answer(claims, { controls }, { waivedViolations }) {
    const expiry = new Date((claims.exp ?? Number.NaN) * 1000);
    return answerJson(200, {
      subject: claims.sub,
      client_id: claims.client_id,
      scope: claims.scope,
      audience: claims.aud,
      issuer: claims.iss,
      expires_at: Number.isNaN(expiry.getTime()) ? null : expiry.toISOString(),
      data: { name: DEMO_USER.name, message: 'You have reached the protected resource.' },
      validated: RESOURCE_CONTROLS.filter((id) => controls[id]),
      not_validated: RESOURCE_CONTROLS.filter((id) => !controls[id]),
      insecure: listDisabledControls(controls).length > 0,
      would_be_blocked_by: listControls(waivedViolations),
    });
  },
});
