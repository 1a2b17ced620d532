import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { Exchange } from '@/lib/oauth/assessment/exchange';

/** A field or a button of a form. */
interface FormField {
  type: string;
  name: string;
  value: string;
  text: string;
  /** Address of `formaction`, or null. */
  action: string | null;
  /** Whether its other attributes, such as the handlers of scripts, leave what it sends as it is. */
  isPlain: boolean;
}

/** A form of a page, as a browser would send it. */
export interface PageForm {
  action: string;
  method: 'get' | 'post';
  /** Whether its attributes name no script. */
  isPlain: boolean;
  fields: readonly FormField[];
}

/** A page shown to a browser, without content that changes with every request, so that two pages can be compared. */
export interface ShownPage {
  status: number;
  /** Path in which `*` replaces every segment that looks random. */
  path: string;
  title: string;
  forms: readonly PageForm[];
  /** Words of the text that contain no digits. */
  text: string;
  hasScript: boolean;
  /** Words of the page's scripts, which may create visible text. */
  scriptText: string;
}

const RANDOM_SEGMENT = /^(?=.*\d)[\w~.-]{16,}$|^[0-9a-f-]{32,}$|^[\w-]{21,}$/i;
const TEXT_LIMIT = 2_000;
const INVISIBLE = new Set(['script', 'style', 'noscript', 'template', 'title']);
const FIELDS = new Set(['input', 'select', 'textarea', 'button']);
/** Words of a page that refuses, in the most common languages of servers. */
const REFUSING =
  /error|invalid|mismatch|unknown|went wrong|oops|unbekannt|inconnu|desconocid|inválid|unauthori[sz]ed|forbidden|denied|not (allowed|registered|valid|found)|bad request|fehler|ungültig|erreur|invalide/i;
/** Attributes of a form, or of a button, that run no script, and change neither the address nor the method. */
const PLAIN =
  /^(accept-charset|accesskey|action|autocomplete|autofocus|class|dir|enctype|formaction|formnovalidate|id|lang|method|name|novalidate|role|style|tabindex|target|title|type|value|aria-.+|data-(?!action|method|on|bind|controller|turbo|ng).+)$/;

type Node = DefaultTreeAdapterTypes.Node;
/** A node that is to be read, and the form that it is in. */
type Visit = [node: Node, form: MutableForm | null];
type MutableForm = Omit<PageForm, 'fields'> & { fields: FormField[] };

/** Reads the page in an answer. A body other than HTML has a text and no forms. */
export function readPage({ request, response }: Exchange): ShownPage {
  const words: string[] = [];
  const scripts: string[] = [];
  const forms: MutableForm[] = [];
  let title = '';
  const resolve = (address: string) => (URL.canParse(address, request.url) ? new URL(address, request.url).href : null);
  const readNode = (node: Node, form: MutableForm | null): Visit[] => {
    let inner = form;
    if ('tagName' in node) {
      const attribute = (name: string) => node.attrs.find((attr) => attr.name === name)?.value ?? '';
      const isPlain = node.attrs.every(({ name }) => PLAIN.test(name));
      if (node.tagName === 'title') title = readText(node);
      if (node.tagName === 'script') scripts.push(readText(node));
      if (INVISIBLE.has(node.tagName)) return [];
      if (node.tagName === 'form') {
        const method = /^post$/i.test(attribute('method')) ? 'post' : 'get';
        inner = { action: resolve(attribute('action')) ?? request.url, method, isPlain, fields: [] };
        forms.push(inner);
      }
      if (FIELDS.has(node.tagName)) {
        const type =
          attribute('type').toLowerCase() ||
          (node.tagName === 'button' ? 'submit' : node.tagName === 'input' ? 'text' : node.tagName);
        const action = attribute('formaction') === '' ? null : resolve(attribute('formaction'));
        const [name, value] = [attribute('name'), attribute('value')];
        inner?.fields.push({ type, name, value, text: readText(node), action, isPlain });
      }
    }
    if (node.nodeName === '#text' && 'value' in node) words.push(node.value);
    return 'childNodes' in node ? node.childNodes.map((child) => [child, inner]) : [];
  };
  // A page may be nested more deeply than the stack allows.
  const open: Visit[] = /<\w/.test(response.body) ? [[parse(response.body), null]] : [];
  if (open.length === 0) words.push(response.body);
  for (let visit = open.pop(); visit !== undefined; visit = open.pop())
    for (const next of readNode(...visit).reverse()) open.push(next);
  const path = new URL(request.url).pathname.split('/').map((part) => (RANDOM_SEGMENT.test(part) ? '*' : part));
  return {
    status: response.status,
    path: path.join('/'),
    title: title.trim(),
    forms,
    text: removeVariableWords(words.join(' ')),
    hasScript: /<script\b/i.test(response.body),
    scriptText: removeVariableWords(scripts.join(' ').replace(/[^\p{L}\p{N}_-]+/gu, ' ')),
  };
}

function readText(element: Node): string {
  const words: string[] = [];
  const open = [element];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === '#text' && 'value' in node) words.push(node.value.trim());
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) open.push(child);
  }
  return words.join(' ').trim();
}

/** Removes the parts of a text that differ between requests. */
function removeVariableWords(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, TEXT_LIMIT).split(' ');
  return words.filter((word) => !/\d/.test(word) && word.length < 40).join(' ');
}

/** Returns whether two answers show the same page. The text decides only if there is neither form nor title. */
export function isSamePage(one: ShownPage, other: ShownPage): boolean {
  const describeForms = ({ forms }: ShownPage) =>
    forms.map(({ method, fields }) => [method, ...fields.map(({ type, name }) => `${type} ${name}`)].join()).join(';');
  const bare = one.forms.length === 0 && one.title === '';
  return (
    one.status === other.status &&
    one.path === other.path &&
    one.title === other.title &&
    describeForms(one) === describeForms(other) &&
    (!bare || one.text === other.text)
  );
}

/** Returns whether a page asks for a login, a consent or a choice. */
export function isPromptPage(page: ShownPage): boolean {
  return page.forms.some(({ method, fields }) => method === 'post' || fields.some(({ type }) => type === 'password'));
}

/** Returns whether a page asks for nothing and shows no error. A script may make its form. */
export function isMadeByScript(page: ShownPage): boolean {
  return page.hasScript && !isPromptPage(page) && !isErrorPage(page);
}

/** Returns whether a page reports an error and asks for nothing. */
export function isErrorPage(page: ShownPage): boolean {
  return !isPromptPage(page) && (page.status >= 400 || REFUSING.test(page.title) || REFUSING.test(page.text));
}

const BUTTON = /<button\b|<input\b[^<>]*\btype\s*=\s*["']?(?:submit|button|image)/i;

/** Reads how the form of a page is sent: by a button, or by a script. What only browsers without scripts show is left out. */
function readSubmission(body: string): { hasButton: boolean; hasScript: boolean } {
  const shown = body.replace(/<noscript\b[\s\S]*?(?:<\/noscript|$)/gi, '');
  return { hasButton: BUTTON.test(shown), hasScript: /\bsubmit\s*\(/.test(shown) };
}

/** Returns whether a page has no button, and a script that submits its form. Browsers go on by themselves. */
export function isSubmittedByScript(body: string): boolean {
  const { hasButton, hasScript } = readSubmission(body);
  return hasScript && !hasButton;
}

/** Returns whether a page has a question to answer. A form that a script submits is none. */
export function isQuestion({ status, body }: Exchange['response']): boolean {
  const { hasButton, hasScript } = readSubmission(body);
  return status < 400 && hasButton && !hasScript;
}

/**
 * Returns the parameters that a page posts to a redirect URI without user action (`response_mode=form_post`). Returns
 * null for other pages.
 */
export function readFormPostResponse(page: ShownPage, redirectUri: string): Record<string, string> | null {
  const form = page.forms.find(({ action, method }) => method === 'post' && action === redirectUri);
  const fields = form?.fields.filter(({ type, name }) => type === 'hidden' && name !== '') ?? [];
  return fields.length === 0 ? null : Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}
