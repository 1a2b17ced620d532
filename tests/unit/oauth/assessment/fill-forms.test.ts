import { describe, expect, test } from 'vitest';
import { fillConsentForm, fillDeviceForm, fillDeviceRefusal, fillRefusalForm } from '@/lib/oauth/assessment/fill-forms';
import { readPage } from '@/lib/oauth/assessment/shown-page';

const show = (body: string) =>
  readPage({
    label: 'A page',
    request: { method: 'GET', url: 'https://issuer.example/page', headers: [], body: '' },
    response: { status: 200, headers: [], body },
    startedAt: 0,
    durationMs: 1,
  });
const write = (form: { action: string; body: URLSearchParams } | null) =>
  form === null ? null : `${new URL(form.action).pathname}?${form.body}`;

const post = (fields: string, attributes = '') => `<form method="post" ${attributes}>${fields}</form>`;
const HIDDEN = '<input type="hidden" name="user_oauth_approval" value="true">';

describe('a page of consent', () => {
  test.each([
    ['a named button', '<button>Allow</button><button name="answer" value="deny">Deny</button>', '/page?answer=deny'],
    ['an address of its own', '<button>Allow</button><button formaction="/denied">Deny</button>', '/denied?'],
    [
      'the name alone',
      '<input type="submit" name="accept" value="Yes"><input type="submit" name="cancel" value="No">',
      '/page?cancel=No',
    ],
    [
      'words about agreeing',
      '<button name="b" value="yes">Yes, Allow</button><button name="b" value="no">No, Do Not Allow</button>',
      '/page?b=no',
    ],
  ])('is declined by %s', (_how, fields, sent) => {
    expect(write(fillRefusalForm(show(post(fields))))).toBe(sent);
  });

  test('is declined by a form of its own', () => {
    const page = `${post('<button>Authorize</button>')}${post('<button>Deny</button>', 'action="/deny"')}`;
    expect(write(fillRefusalForm(show(page)))).toBe('/deny?');
  });

  test.each([
    [
      'a handler',
      `${HIDDEN}<input type="submit" value="Authorize"><input name="deny" value="Deny" type="submit" onclick="x()">`,
    ],
    [
      'a handler of a nameless button',
      '<button>Allow</button><button onclick="this.form.decision.value=\'deny\'">Deny</button>',
    ],
    ['an attribute of a library', '<button>Allow</button><button name="deny" hx-post="/deny">Deny</button>'],
    ['another form', '<button>Allow</button><button name="deny" form="other">Deny</button>'],
    ['neither name nor address', `${HIDDEN}<button>Allow</button><button>Deny</button>`],
    ['the same name and value', '<button name="go" value="1">Allow</button><button name="go" value="1">Deny</button>'],
    [
      'the same for another question',
      '<button name="stay" value="yes">Yes</button><button name="stay" value="no">No</button>',
    ],
    [
      'words of cookies',
      '<button name="c" value="1">Accept cookies</button><button name="c" value="0">Reject cookies</button>',
    ],
    ['a language', '<button>Allow</button><button name="lang" value="no">Norsk</button>'],
    ['another question of the page', '<button>Continue</button><button name="cancel">Cancel</button>'],
  ])('is not declined by a button with %s', (_what, fields) => {
    expect(fillRefusalForm(show(post(fields)))).toBeNull();
  });

  test('is not declined where the form has a handler', () => {
    const fields = '<button>Allow</button><button name="deny">Deny</button>';
    expect(fillRefusalForm(show(post(fields, 'onsubmit="send(event)"')))).toBeNull();
  });

  test('is agreed to at the address of the button', () => {
    const page = show(post('<button name="deny">Deny</button><button formaction="/allowed">Allow</button>'));
    expect(write(fillConsentForm(page))).toBe('/allowed?');
  });
});

describe('the page of a device', () => {
  const CODE = '<input name="user_code">';
  const [deny, allow] = ['<button name="deny" value="1">Deny</button>', '<button>Allow</button>'];

  test('that asks for the code and an answer is declined', () => {
    expect(fillDeviceRefusal(show(post(CODE + allow + deny)), 'ABC')).toMatchObject({ declines: true, method: 'post' });
    expect(write(fillDeviceRefusal(show(post(CODE + allow + deny)), 'ABC'))).toBe('/page?user_code=ABC&deny=1');
    expect(write(fillDeviceForm(show(post(CODE + allow + deny)), 'ABC'))).toBe('/page?user_code=ABC');
  });

  test('that asks for the code alone leads on if nothing is posted', () => {
    expect(fillDeviceRefusal(show(`<form>${CODE}<button>Next</button></form>`), 'ABC')).toMatchObject({
      declines: false,
      method: 'get',
    });
  });

  test.each([
    ['is posted', post(`${CODE}<button>Authorize</button>`)],
    ['is posted without a word', post(`${CODE}<button>Next</button>`)],
    ['agrees', `<form>${CODE}${allow}</form>`],
    ['agrees, and declines by a script', `<form>${CODE}${allow}<button onclick="x()" name="deny">Deny</button></form>`],
  ])('whose form %s gets no refusal', (_what, page) => {
    expect(fillDeviceRefusal(show(page), 'ABC')).toBeNull();
  });
});
