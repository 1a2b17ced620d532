import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adaptGatewayText, formatHostAndPort, RECIPES } from '@/lib/admin/first-hour/gateway-text';
import { readGatewayRecipe as contract } from '@/lib/contract/first-hour';
import { implement } from '@/lib/operation/operation';

/** Returns the documented configuration of a gateway, adapted to the origin of the request. */
export const readGatewayRecipe = implement(contract, async ({ facts, services }, { params: { gateway } }) => {
  const { files, token, tested } = RECIPES[gateway];
  const folder = join(services.config.directory, 'docs', 'gateways');
  const texts = files.map(async (name) => {
    const text = await readFile(join(/* turbopackIgnore: true */ folder, name), 'utf8');
    return { name, text: adaptGatewayText(gateway, text, facts.origin) };
  });
  return {
    gateway,
    address: formatHostAndPort(facts.origin),
    files: await Promise.all(texts),
    token_in: token,
    tested,
  };
});
