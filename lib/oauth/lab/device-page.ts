import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { readMediaType } from '@/lib/http/json-body';
import { answerPage, escapeHtml } from '@/lib/oauth/lab/browser-answers';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { type ControlSwitch, enableControlsExcept, listDisabledControls } from '@/lib/oauth/lab/controls';
import { readDecision, refuseTicket } from '@/lib/oauth/lab/decision';
import {
  answerDevice,
  DEVICE_DECISIONS,
  type DeviceDecision,
  type DeviceRequest,
  findWaitingDevice,
  hashUserCode,
} from '@/lib/oauth/lab/device-authorization';
import { readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { answerJson, markWeakened, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler, Ticket } from '@/lib/oauth/lab/services';
import { issueSecret } from '@/lib/oauth/lab/tickets';

const CONSENT_LIFETIME = 600;

/** An answer that a person may give. A form cannot send the controls header, so the controls are stored. */
interface PendingDevice {
  /** Hash of the user code. */
  userCode: string;
  off: readonly ControlSwitch[];
}

/**
 * Handles `GET /auth/device`: the verification page (RFC 8628 section 3.3). With a user code in the address it shows the
 * request and asks (section 3.3.1). If `device-consent` is off, opening that address is enough.
 */
export const showDevicePage: LabHandler = async (request, lab) => {
  const parameters = readQuery(request);
  const userCode = parameters.get('user_code');
  if (userCode === undefined) return askForUserCode(200, lab);
  const waiting = await findWaitingDevice(hashUserCode(userCode), lab);
  if (waiting === null) return askForUserCode(400, lab);
  return lab.controls['device-consent'] ? askForConsent(waiting, userCode, lab) : decide(waiting, 'approve', lab);
};

function askForUserCode(status: 200 | 400, { origin, controls }: Lab): Response {
  const problem = status === 200 ? '' : '<p>No device waits for this code. It may have expired.</p>\n';
  const page = {
    status,
    title: 'Connect a device',
    body: `${problem}<form method="get" action="${escapeHtml(origin + LAB_PATHS.device)}">
<p><label>Code that the device shows <input type="text" name="user_code" autocomplete="off" required></label></p>
<button type="submit">Continue</button>
</form>`,
  };
  return answerPage(page, controls);
}

/** Shows client, scope and user code, so that a person can compare them with the device (RFC 8628 section 5.4). */
async function askForConsent(waiting: Ticket, userCode: string, lab: Lab): Promise<Response> {
  const { clientId, scope }: DeviceRequest = JSON.parse(waiting.payload);
  const pending: PendingDevice = { userCode: waiting.hash, off: listDisabledControls(lab.controls) };
  const ticket = await issueSecret(lab, 'device-consent', pending, CONSENT_LIFETIME);
  const scopes = scope.split(' ').map((value) => `<li><code>${escapeHtml(value)}</code></li>`);
  const page = {
    status: 200,
    title: 'Allow this device?',
    body: `<p>A device asks as <code>${escapeHtml(clientId)}</code> to act for <strong>${escapeHtml(DEMO_USER.email)}</strong> with:</p>
<ul>${scopes.join('')}</ul>
<p>Allow it only if the device is in front of you and shows <code>${escapeHtml(userCode)}</code></p>
<form method="post" action="${escapeHtml(lab.origin + LAB_PATHS.deviceDecision)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button type="submit" name="decision" value="approve">Allow</button><button type="submit" name="decision" value="deny">Deny</button>
</form>`,
  };
  return answerPage(page, lab.controls);
}

/** Handles `POST /auth/device/decision`: the answer of the verification page, with its one-time ticket. */
export const decideDevice: LabHandler = async (request, lab) => {
  const answered = await readDecision<PendingDevice>(request, 'device-consent', lab);
  if (answered === null) return refuseTicket();
  const { userCode, off } = answered.pending;
  const asAsked = { ...lab, controls: enableControlsExcept(...off) };
  const waiting = await findWaitingDevice(userCode, lab);
  const page =
    waiting === null ? refuseTicket() : await decide(waiting, answered.isApproved ? 'approve' : 'deny', asAsked);
  return markWeakened(page, new Violations(asAsked.controls));
};

async function decide(waiting: Ticket, decision: DeviceDecision, lab: Lab): Promise<Response> {
  if (!(await answerDevice(waiting, decision, lab))) return refuseTicket();
  const approved = decision === 'approve';
  const page = {
    status: 200,
    title: approved ? 'The device is connected' : 'Access was denied',
    body: '<p>You can close this page and return to the device.</p>',
  };
  return answerPage(page, lab.controls);
}

/**
 * Handles `POST /auth/device`: the answer of the demo user, for programs. It takes JSON only, because a form of another
 * site cannot send that.
 */
export const answerDeviceByPost: LabHandler = async (request, lab, violations) => {
  if (readMediaType(request) !== 'application/json') violations.note(null, 'The body must be application/json.');
  const body = violations.refusing.length > 0 ? null : await readBody(request, violations);
  if (body === null) return refuse(violations.refusing);
  body.check(violations);
  const userCode = body.requireValue('user_code', violations);
  const wanted = body.get('decision') ?? 'approve';
  const decision = DEVICE_DECISIONS.find((value) => value === wanted);
  if (decision === undefined) violations.note(null, 'decision must be approve or deny.');
  const waiting = userCode === null ? null : await findWaitingDevice(hashUserCode(userCode), lab);
  if (userCode !== null && waiting === null) violations.note(null, 'No device waits for this user_code.');
  if (waiting === null || decision === undefined || violations.refusing.length > 0) return refuse(violations.refusing);
  if (!(await answerDevice(waiting, decision, lab))) {
    violations.note(null, 'The device was answered before.');
    return refuse(violations.refusing);
  }
  const { clientId, scope }: DeviceRequest = JSON.parse(waiting.payload);
  return answerJson(200, { client_id: clientId, scope, decision });
};
