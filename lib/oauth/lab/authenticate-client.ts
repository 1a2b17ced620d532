import { decodeBase64 } from '@/lib/http/base64';
import { ASSERTION_TYPE, findAssertionProblem, readAssertionSubject } from '@/lib/oauth/lab/client-assertion';
import { findClient, hasKey, type LabClient } from '@/lib/oauth/lab/clients';
import { type Parameters, readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { refuse, type Violation, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabCertificate, LabHandler } from '@/lib/oauth/lab/services';
import { isSameSecret } from '@/lib/oauth/lab/tickets';

/** A request that a client sends itself, without a browser. */
interface ClientRequest {
  request: Request;
  parameters: Parameters;
  /** Null if the client is not registered. */
  client: LabClient | null;
  violations: Violations;
}

/** Creates an endpoint that reads a body and authenticates the client that sends it. */
export function createClientEndpoint(answer: (request: ClientRequest, lab: Lab) => Promise<Response>): LabHandler {
  return async (request, lab, violations) => {
    const parameters = await readBody(request, violations);
    if (parameters === null) return refuse(violations.refusing);
    const client = await authenticateClient(request, parameters, violations, lab);
    return answer({ request, parameters, client, violations }, lab);
  };
}

const CREDENTIAL =
  /^(?:client_secret|client_assertion|code|device_code|code_verifier|refresh_token|(?:subject_|actor_)?token|password)$/;

/**
 * Authenticates a client at the token, revocation, introspection and pushed request endpoints. Methods are
 * `client_secret_basic`, `client_secret_post`, `private_key_jwt`, `tls_client_auth`, or none for a public client (RFC
 * 6749 sections 2.3.1 and 3.2.1, RFC 7523, RFC 8705).
 */
async function authenticateClient(
  request: Request,
  parameters: Parameters,
  violations: Violations,
  lab: Lab,
): Promise<LabClient | null> {
  const noteInvalidClient = (description: string) => violations.note(null, description, 'invalid_client');
  const query = readQuery(request);
  if (query.entries.some(([name]) => CREDENTIAL.test(name))) {
    violations.note('credentials-in-uri', 'Credentials and codes belong in the body, not in the URL.');
  }
  const header = request.headers.get('authorization');
  const basic = header === null ? null : readBasic(header);
  if (basic === 'malformed') {
    noteInvalidClient('The Authorization header is not valid Basic authentication.');
    return null;
  }
  const assertion = parameters.get('client_assertion');
  const posted = parameters.get('client_secret');
  if ([basic ?? undefined, posted, assertion].filter((credential) => credential !== undefined).length > 1) {
    violations.note(null, 'The request uses more than one client authentication method.');
  }
  const asserted = assertion === undefined ? undefined : readAssertionSubject(assertion);
  const named = [basic?.id, asserted, ...parameters.getAll('client_id'), ...query.getAll('client_id')];
  if (new Set(named.filter((id) => id !== undefined)).size > 1) {
    violations.note('client-id-mixup', 'The request names more than one client.');
  }
  const id = basic?.id ?? parameters.get('client_id') ?? asserted;
  const client = findClient(lab.origin, id);
  if (client === null) {
    noteInvalidClient(id === undefined ? 'client_id is missing.' : 'No client has this client_id.');
    return null;
  }
  if (lab.requirements['fapi-key-authentication'] && !hasKey(client)) {
    noteInvalidClient('The client must authenticate with a key or a certificate (FAPI 2.0).');
  }
  const problem = await findCredentialsProblem(client, { secret: basic?.secret ?? posted, assertion }, request, lab);
  if (problem !== null) violations.note(problem.control, problem.description, 'invalid_client');
  else if (assertion !== undefined && parameters.get('client_assertion_type') !== ASSERTION_TYPE) {
    violations.note(null, `client_assertion_type must be ${ASSERTION_TYPE}.`);
  }
  return client;
}

/** Returns the fault of a client's credentials, or null. */
async function findCredentialsProblem(
  { id, authentication }: LabClient,
  { secret, assertion }: { secret: string | undefined; assertion: string | undefined },
  request: Request,
  lab: Lab,
): Promise<Pick<Violation, 'control' | 'description'> | null> {
  const buildProblem = (control: Violation['control'], description: string) => ({ control, description });
  if (authentication.method === 'none') {
    return secret || assertion ? buildProblem(null, 'A public client has no credentials.') : null;
  }
  if (authentication.method === 'tls_client_auth') {
    if (secret || assertion) return buildProblem(null, 'The client authenticates with its certificate.');
    const problem = findCertificateProblem(lab.certificate ?? null, authentication.subject);
    return problem === null ? null : buildProblem(...problem);
  }
  if (secret === undefined && assertion === undefined) {
    return buildProblem('client-authentication', 'The client must authenticate.');
  }
  if (authentication.method === 'secret') {
    if (secret === undefined) return buildProblem(null, 'The client authenticates with its secret.');
    return isSameSecret(secret, authentication.secret)
      ? null
      : buildProblem('client-authentication', 'The client secret is wrong.');
  }
  if (assertion === undefined) return buildProblem(null, 'The client authenticates with its key.');
  const problem = await findAssertionProblem(assertion, { id, publicKey: authentication.publicKey }, request, lab);
  return problem === null ? null : buildProblem('client-assertion', problem);
}

/** Returns the fault of a client's certificate (RFC 8705 section 2.1) with the control that refuses it, or null. */
function findCertificateProblem(
  certificate: LabCertificate | null,
  subject: string,
): [Violation['control'], string] | null {
  if (certificate === null) return ['client-authentication', 'The client must present its certificate.'];
  if (certificate.subject !== subject) return ['client-authentication', 'The certificate is that of another subject.'];
  return certificate.isTrusted ? null : ['client-certificate', 'No trusted authority signed the certificate.'];
}

/** Reads RFC 7617 credentials, with id and secret form-encoded (RFC 6749 section 2.3.1). */
function readBasic(header: string): { id: string; secret: string } | 'malformed' {
  const encoded = /^Basic +(\S+)$/i.exec(header)?.[1];
  const bytes = encoded === undefined ? null : decodeBase64(encoded);
  if (bytes === null) return 'malformed';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const colon = text.indexOf(':');
    if (colon < 1) return 'malformed';
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    return 'malformed';
  }
}
