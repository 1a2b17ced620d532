import { DEVICE_GRANT } from '@/lib/contract/lab-paths';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { type DeviceForm, fillDeviceForm, fillDeviceRefusal } from '@/lib/oauth/assessment/fill-forms';
import { readTokens, type TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { type Fields, fill, type TokenOptions } from '@/lib/oauth/assessment/requests';
import { isSubmittedByScript, readPage } from '@/lib/oauth/assessment/shown-page';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { TokenRequests } from '@/lib/oauth/assessment/token-requests';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** Answer to a device authorization request (RFC 8628 section 3.2). */
export interface DeviceAuthorization {
  client: TargetClient;
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  /** Address with the user code, or null. */
  completeUri: string | null;
  /** Lifetime, or null if the answer has none. */
  expiresIn: Seconds | null;
  /** Shortest time between two polls. */
  interval: Seconds;
}

/** Interval of an answer that has none (RFC 8628 section 3.2), and what `slow_down` adds (section 3.5). */
const INTERVAL = 5;
/** Longest wait between two polls, and number of polls that are repeated for `slow_down`. */
const LONGEST_INTERVAL = 30;
const MOST_REPEATS = 2;
/** Maximum pages between the verification address and the end. */
const MOST_PAGES = 6;

/** Errors by which a server refuses a client every request for the grant. */
const NOT_ALLOWED = new Set(['unauthorized_client', 'unsupported_grant_type']);
/**
 * Words of descriptions of the same under another error: `urn:ietf:params:oauth:grant-type:device_code is not allowed`.
 */
const NOT_ALLOWED_TEXT = /not (allowed|permitted|authori[sz]ed|enabled|supported)|unauthori[sz]ed|disabled/i;
const GRANT_TEXT = /device|grant|flow/i;

interface PollOptions extends TokenOptions {
  /** Does not wait if the server says `slow_down`: another device code can be polled at once. */
  atOnce?: boolean;
}

/** Sends the requests of the device authorization grant (RFC 8628). */
export class DeviceRequests extends TokenRequests {
  /** Sends a device authorization request, authenticated as the client unless the options say otherwise. */
  async sendDeviceRequest(
    label: string,
    client: TargetClient,
    { scope = this.target.scope, ...options }: TokenOptions & { scope?: string } = {},
  ): Promise<Exchange> {
    const endpoint = await this.requireEndpoint('device_authorization_endpoint', client);
    const { credentials = () => this.createClientCredentials(client) } = options;
    const { fields, headers, certificate } = typeof credentials === 'function' ? await credentials() : credentials;
    const body = fill({ scope: scope || null, ...this.target.parameters, ...fields });
    const sent = { headers: { accept: 'application/json', ...headers }, certificate };
    return this.send(label, endpoint, { method: 'POST', body }, sent);
  }

  /**
   * Lists the clients that may use the grant.
   * @throws CannotProbe not_applicable if the server does not offer it, or refuses it to every client
   */
  requireDeviceClients(): Promise<readonly TargetClient[]> {
    return this.runOnce('device clients', async () => {
      await this.requireEndpoint('device_authorization_endpoint');
      const allowed: TargetClient[] = [];
      const problems: { problem: string; isGeneral: boolean }[] = [];
      for (const client of this.listClients()) {
        const exchange = await this.sendDeviceRequest(`Ask for a device code as ${client.id}`, client);
        if (readDeviceAuthorization(exchange, client) !== null) allowed.push(client);
        else {
          const problem = explainWall(exchange) ?? readError(exchange);
          problems.push({ problem, isGeneral: isGrantRefused(exchange) });
        }
      }
      if (allowed.length > 0) return allowed;
      if (problems.length === 0) throw new CannotProbe('inconclusive', 'A client is needed.');
      const other = problems.find(({ isGeneral }) => !isGeneral);
      throw other === undefined
        ? new CannotProbe('not_applicable', `No given client may use the device grant: ${problems[0]?.problem}.`)
        : new CannotProbe('inconclusive', `The server gives no device code: ${other.problem}.`);
    });
  }

  /** Returns the first client that may use the grant. @throws CannotProbe */
  async requireDeviceClient(): Promise<TargetClient> {
    const [client] = await this.requireDeviceClients();
    if (client === undefined) throw new CannotProbe('inconclusive', 'A client is needed.');
    return client;
  }

  /** Asks for a device code. @throws CannotProbe inconclusive if none is issued */
  async requestDeviceCode(
    client: TargetClient,
    { label = 'Ask for a device code', scope = this.target.scope } = {},
  ): Promise<DeviceAuthorization> {
    const exchange = await this.sendDeviceRequest(label, client, { scope });
    const device = readDeviceAuthorization(exchange, client);
    if (device !== null) return device;
    const why = explainWall(exchange) ?? readError(exchange);
    throw new CannotProbe('inconclusive', `The server gave no device code: ${why}.`);
  }

  /** Returns the device code requested first. It stays unused until its lifetime is tested. */
  getReservedDevice(): Promise<{ device: DeviceAuthorization; askedAt: Seconds }> {
    return this.runOnce('kept device code', async () => {
      const client = await this.requireDeviceClient();
      return { device: await this.requestDeviceCode(client), askedAt: this.age() };
    });
  }

  /** Asks for the tokens of a device code. Waits and asks again if the server says `slow_down`. */
  async pollDevice(
    label: string,
    device: DeviceAuthorization,
    fields: Fields = {},
    { atOnce = false, ...options }: PollOptions = {},
  ): Promise<TokenOutcome> {
    const { resource = null } = this.target.parameters;
    const body = { grant_type: DEVICE_GRANT, device_code: device.deviceCode, resource, ...fields };
    let { interval } = device;
    for (let repeats = 0; ; repeats++) {
      const outcome = await this.sendTokenRequest(label, body, { client: device.client, ...options });
      const isSlowed = outcome.kind === 'refused' && outcome.error === 'slow_down';
      if (!isSlowed || atOnce || repeats === MOST_REPEATS) return outcome;
      interval = Math.min(interval + INTERVAL, LONGEST_INTERVAL);
      await this.sender.pause(interval);
    }
  }

  /**
   * Opens the verification address with the user code, as a browser with a session does. Pages whose scripts submit
   * them are followed. No button is pressed.
   * @throws CannotProbe inconclusive if there is no session
   */
  async openVerification(address: string, device: DeviceAuthorization): Promise<void> {
    await this.#walk('Open the verification address', address, device, null);
  }

  /**
   * Agrees on the verification page, as the person who gave the session. The next poll shows whether it worked.
   * @throws CannotProbe inconclusive if there is no session
   */
  async approveDevice(device: DeviceAuthorization): Promise<void> {
    if (this.target.capabilities.directAuthorization === true) {
      const body = JSON.stringify({ user_code: device.userCode });
      const headers = { 'content-type': 'application/json' };
      await this.send('Agree as the user', device.verificationUri, { method: 'POST', body }, { headers });
      return;
    }
    await this.#walk('Open the verification page', device.completeUri ?? device.verificationUri, device, 'Agree');
  }

  /**
   * Declines on the verification page. Returns false if no page has a button for that, or if it is not certain how to
   * press it. Nothing is sent then that could connect the device.
   * @throws CannotProbe inconclusive if there is no session
   */
  async declineDevice(device: DeviceAuthorization): Promise<boolean> {
    if (this.target.capabilities.directAuthorization === true) return false;
    const address = device.completeUri ?? device.verificationUri;
    return this.#walk('Open the verification page', address, device, 'Decline');
  }

  /** Presses the buttons of an answer, page after page. Null presses none. Returns whether one that declines was pressed. */
  async #walk(
    label: string,
    address: string,
    device: DeviceAuthorization,
    answer: 'Agree' | 'Decline' | null,
  ): Promise<boolean> {
    const session = await this.#requireSession(device);
    const send = (what: string, url: string, init: RequestInit) => this.send(what, url, init);
    const options = { redirectUri: device.client.redirectUri, agree: false };
    let exchange = await session.open(send, label, address, options);
    let hasDeclined = false as boolean;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const isAutomatic = isSubmittedByScript(exchange.response.body);
      const page = readPage(exchange);
      const fillAnswer = isAutomatic || answer === 'Agree' ? fillDeviceForm : fillDeviceRefusal;
      const isOpen = isAutomatic || (answer !== null && !hasDeclined);
      const form: DeviceForm | null = isOpen ? fillAnswer(page, device.userCode) : null;
      if (form === null || !/^https?:/.test(form.action)) return hasDeclined;
      const step = isAutomatic ? 'The script of the page submits it' : `${answer} on the verification page`;
      hasDeclined ||= form.declines;
      if (form.method === 'post') exchange = await session.submit(send, step, form, options);
      else {
        const url = new URL(form.action);
        url.search = form.body.toString();
        exchange = await session.open(send, step, url.href, options);
      }
    }
    return hasDeclined;
  }

  /** Returns the browser in which a person is signed in. The lab needs none. */
  async #requireSession(device: DeviceAuthorization): Promise<BrowserSession> {
    const { capabilities, cookie } = this.target;
    if (capabilities.directAuthorization === true) return new BrowserSession(device.verificationUri);
    if (capabilities.visit !== undefined)
      throw new CannotProbe(
        'inconclusive',
        'A person has to agree on the verification page, which leads back to no address: the cookie of a session is needed.',
      );
    if (cookie === '')
      throw new CannotProbe('inconclusive', 'The cookie of a session is needed to agree on the verification page.');
    const { authorization_endpoint: endpoint } = await this.fetchServerMetadata();
    return this.sender.getSharedSession(typeof endpoint === 'string' ? endpoint : device.verificationUri, cookie);
  }

  /** Returns a device code that a person has agreed to. @throws CannotProbe inconclusive if no person can */
  async requestApprovedDevice(client: TargetClient): Promise<DeviceAuthorization> {
    const device = await this.requestDeviceCode(client);
    await this.approveDevice(device);
    return device;
  }

  /** Asks for the tokens of an approved device code. @throws CannotProbe inconclusive if there are none */
  async redeemDevice(device: DeviceAuthorization) {
    const outcome = await this.pollDevice('Poll after a person agreed', device);
    if (outcome.kind === 'issued') return outcome;
    const why = outcome.error ?? `status ${outcome.status}`;
    throw new CannotProbe('inconclusive', `Agreeing on the verification page led to no token: ${why}.`);
  }
}

const readError = (exchange: Exchange): string => {
  const outcome = readTokens(exchange);
  return (outcome.kind === 'refused' ? outcome.error : null) ?? `the answer is ${exchange.response.status}`;
};

/** Returns whether an answer refuses the grant to the client, in the way of RFC 6749 section 5.2 or in words. */
function isGrantRefused(exchange: Exchange): boolean {
  const { error, error_description: description } = parseResponseJson(exchange);
  if (typeof error !== 'string' || exchange.response.status >= 500) return false;
  const text = String(description);
  return NOT_ALLOWED.has(error) || (error !== 'invalid_scope' && NOT_ALLOWED_TEXT.test(text) && GRANT_TEXT.test(text));
}

/** Reads the answer to a device authorization request. Returns null if it issues no codes. */
export function readDeviceAuthorization(exchange: Exchange, client: TargetClient): DeviceAuthorization | null {
  const { status } = exchange.response;
  const body = parseResponseJson(exchange);
  const readText = (name: string) => (typeof body[name] === 'string' && body[name] !== '' ? body[name] : null);
  const readSeconds = (name: string) => (Number.isFinite(Number(body[name] ?? Number.NaN)) ? Number(body[name]) : null);
  const [deviceCode, userCode] = [readText('device_code'), readText('user_code')];
  // Servers older than the RFC call it verification_url.
  const verificationUri = readText('verification_uri') ?? readText('verification_url');
  if (status < 200 || status >= 300 || deviceCode === null || userCode === null || verificationUri === null)
    return null;
  const completeUri = readText('verification_uri_complete');
  const interval = Math.max(0, readSeconds('interval') ?? INTERVAL);
  return { client, deviceCode, userCode, verificationUri, completeUri, expiresIn: readSeconds('expires_in'), interval };
}
