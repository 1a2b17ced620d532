import type { IncomingMessage, ServerResponse } from 'node:http';

interface World {
  is: (...names: string[]) => boolean;
  random: () => string;
  issuer: () => string;
  reply: (response: ServerResponse, status: number, body?: unknown) => void;
}

interface Registration {
  name: string;
  home: string;
  uris: string[];
  token: string;
}

/** Registers clients (RFC 7591), and manages them (RFC 7592). */
export function plantedRegistrations({ is, random, issuer, reply }: World) {
  const registered = new Map<string, Registration>();

  const isSound = (uri: string) => {
    if (!URL.canParse(uri)) return false;
    const { protocol, hash, hostname } = new URL(uri);
    if (is('registration of scripts behind a space') && protocol === 'javascript:')
      return !uri.toLowerCase().startsWith('javascript:');
    if (is('registration of scripts') && protocol === 'javascript:') return true;
    if (is('registration of scripts in capitals') && protocol === 'javascript:') return !uri.startsWith('javascript:');
    if (is('registration of http addresses') && protocol === 'http:') return true;
    if (is('registration of fragments') && hash !== '') return true;
    return hash === '' && (protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1'));
  };

  const describe = (id: string, { uris, token }: Omit<Registration, 'name' | 'home'>) => ({
    ...{ client_id: id, redirect_uris: uris, token_endpoint_auth_method: 'none' },
    ...{ registration_client_uri: `${issuer()}/register/${id}`, registration_access_token: token },
  });

  function save(response: ServerResponse, text: string, change?: [id: string, client: Registration]) {
    const parsed: { redirect_uris?: string[]; client_id?: string; client_name?: string; client_uri?: string } =
      JSON.parse(text);
    const { redirect_uris: uris = [], client_id: chosen, client_name: name = '', client_uri: home = '' } = parsed;
    const isChecked = change === undefined || !is('changes of a client to scripts');
    if (uris.length === 0 || (isChecked && !uris.every(isSound)))
      return reply(response, 400, { error: 'invalid_redirect_uri' });
    const own = is('registration over another client') ? chosen : undefined;
    const [id, { token }] = change ?? [own ?? random(), { token: random() }];
    registered.set(id, { uris, token, name, home });
    reply(response, change === undefined ? 201 : 200, describe(id, { uris, token }));
  }

  function manage(request: IncomingMessage, response: ServerResponse, { id, text }: { id: string; text: string }) {
    const client = registered.get(id);
    const presented = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const isAllowed =
      presented === client?.token ||
      is('registrations without a token') ||
      (is('registrations by any token') && presented !== undefined) ||
      (is('registrations by the token of any client') &&
        [...registered.values()].some(({ token }) => token === presented)) ||
      (is('reading registrations without a token') && request.method === 'GET') ||
      (is('deleting registrations without a token') && request.method === 'DELETE');
    if (client === undefined || !isAllowed) return reply(response, 401, { error: 'invalid_token' });
    if (request.method === 'PUT') return save(response, text, [id, client]);
    if (request.method !== 'DELETE') return reply(response, 200, describe(id, client));
    registered.delete(id);
    reply(response, 204);
  }

  return {
    find: (id: string) => registered.get(id),
    register: (response: ServerResponse, text: string) => save(response, text),
    manage,
  };
}
