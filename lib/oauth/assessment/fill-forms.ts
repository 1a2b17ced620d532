import type { PageForm, ShownPage } from '@/lib/oauth/assessment/shown-page';

/** A form as a browser would post it. */
export interface FilledForm {
  action: string;
  body: URLSearchParams;
}

type Button = PageForm['fields'][number];

const TYPED = new Set(['text', 'password', 'email', 'tel', 'number', 'search', 'textarea', '']);
/** Words of buttons that answer a question for consent. Other questions have buttons such as "Yes" and "No". */
const ALLOWING =
  /allow|authori[sz]e|accept|approve|agree|grant|consent|permit|erlauben|zulassen|zustimmen|akzeptieren|autoriser/i;
const REFUSING =
  /cancel|deny|abort|reject|decline|refuse|(not|don.t) (allow|authori)|abbrechen|ablehnen|refuser|annuler/i;
/** Words of buttons that do not agree. */
const DECLINING = new RegExp(`${REFUSING.source}|\\bno\\b`, 'i');
/** Words of other questions that have such buttons. */
const OTHER_QUESTION = /cookie|newsletter|marketing|tracking/i;

const listButtons = ({ fields }: PageForm): Button[] =>
  fields.filter(({ type }) => type === 'submit' || type === 'image');

/** Returns what a person, or the author of the page, calls a button. */
const describeButton = ({ name, value, text }: Button): string => `${name} ${text || value}`;

/** Returns whether a button agrees to a request for consent. */
const isAllowing = (button: Button): boolean =>
  ALLOWING.test(describeButton(button)) && !DECLINING.test(`${describeButton(button)} ${button.value}`);

/** Returns the consent form of a page that needs no typing. It presses the first button that does not decline. */
export function fillConsentForm(page: ShownPage): FilledForm | null {
  const [form] = listAnswerForms(page);
  return form === undefined ? null : fillForm(form, '');
}

/**
 * Returns the form of a page of consent with the button that declines. Null if it is not certain that a browser sends
 * the refusal so: a script may change it, or the button may be about something else.
 */
export const fillRefusalForm = (page: ShownPage): FilledForm | null => fillRefusal(listAnswerForms(page), '');

/** Lists the forms that a person only has to answer. */
const listAnswerForms = ({ status, forms }: Pick<ShownPage, 'status' | 'forms'>): PageForm[] =>
  status >= 400
    ? []
    : forms.filter(({ method, fields }) => method === 'post' && !fields.some(({ type }) => TYPED.has(type)));

/** Presses the button that declines. A page may have a separate form for each answer. */
function fillRefusal(forms: readonly PageForm[], typed: string): FilledForm | null {
  const pairs = forms.flatMap((form) => listButtons(form).map((button) => ({ form, button })));
  const agreeing = pairs.find(({ button }) => isAllowing(button));
  const declining = pairs.find(({ form, button }) => canRefuse(form, button));
  if (agreeing === undefined || declining === undefined) return null;
  if (pairs.some(({ button }) => OTHER_QUESTION.test(describeButton(button)))) return null;
  const [allowed, refused] = [agreeing, declining].map(({ form, button }) => press(form, button, typed));
  if (allowed === undefined || refused === undefined) return null;
  const isSame = allowed.action === refused.action && allowed.body.toString() === refused.body.toString();
  return isSame ? null : refused;
}

/** Returns whether a button declines without a script, and the server can tell it from the other buttons. */
function canRefuse(form: PageForm, button: Button): boolean {
  const isDistinct = button.name !== '' || button.action !== null || listButtons(form).length === 1;
  return REFUSING.test(describeButton(button)) && isDistinct && button.isPlain && form.isPlain;
}

/** Returns the first form that is posted, with invalid values in the text fields. */
export function fillPostedForm(page: ShownPage): FilledForm | null {
  const form = page.forms.find(({ method }) => method === 'post');
  return form === undefined ? null : fillForm(form, 'sluice-nobody');
}

/** Words of buttons and addresses that end a session. Pages that come after a decision often have such a form. */
const SIGNING_OUT = /(log|sign)[-_ ]?(out|off)|end.?session|abmelden|déconnexion/i;

/** A form of the verification page of a device. */
export interface DeviceForm extends FilledForm {
  method: PageForm['method'];
  /** Whether the button that declines is pressed. */
  declines: boolean;
}

/** Returns the forms of a verification page, and the one that asks for the user code. Those that end the session are left out. */
function findDeviceForms({ status, forms }: ShownPage) {
  const kept = forms.filter(
    ({ action, fields }) =>
      status < 400 && !SIGNING_OUT.test(action) && !fields.some(({ text }) => SIGNING_OUT.test(text)),
  );
  const asking = kept.find(({ fields }) => {
    const [typed, ...more] = fields.filter(({ type }) => TYPED.has(type));
    return typed !== undefined && more.length === 0 && /code/i.test(typed.name);
  });
  return { kept, asking };
}

/** Returns the next form of the verification page of a device: the one that asks for the user code, or only to agree. */
export function fillDeviceForm(page: ShownPage, userCode: string): DeviceForm | null {
  const { kept, asking } = findDeviceForms(page);
  const form = asking ?? listAnswerForms({ ...page, forms: kept })[0];
  const filled = form === undefined ? null : fillForm(form, asking === undefined ? '' : userCode);
  return form === undefined || filled === null ? null : { ...filled, method: form.method, declines: false };
}

/**
 * Returns the next form on the way to a refusal of a device: with the button that declines, or the one that only asks
 * for the user code. A form that is posted with the code may connect the device.
 */
export function fillDeviceRefusal(page: ShownPage, userCode: string): DeviceForm | null {
  const { kept, asking } = findDeviceForms(page);
  const forms = asking === undefined ? listAnswerForms({ ...page, forms: kept }) : [asking];
  const refusal = fillRefusal(forms, userCode);
  if (refusal !== null) return { ...refusal, method: asking?.method ?? 'post', declines: true };
  if (asking === undefined || asking.method === 'post' || listButtons(asking).some(isAllowing)) return null;
  return fillDeviceForm(page, userCode);
}

/** Fills a form, and presses the first button that does not decline. Null if it has none but others. */
function fillForm(form: PageForm, typed: string): FilledForm | null {
  const buttons = listButtons(form);
  const pressed = buttons.find(({ value, text, name }) => !DECLINING.test(`${name} ${value} ${text}`));
  return pressed === undefined && buttons.length > 0 ? null : press(form, pressed, typed);
}

function press({ action, fields }: PageForm, pressed: Button | undefined, typed: string): FilledForm {
  const body = new URLSearchParams();
  for (const { type, name, value } of fields) {
    if (name === '') continue;
    if (type === 'hidden' || type === 'select') body.append(name, value);
    if (type === 'checkbox') body.append(name, value === '' ? 'on' : value);
    if (TYPED.has(type)) body.append(name, typed);
  }
  if (pressed !== undefined && pressed.name !== '') body.append(pressed.name, pressed.value);
  return { action: pressed?.action ?? action, body };
}
