/**
 * Requests as bytes, well-formed and not, that have led one HTTP parser to see another number of requests, another path
 * or another sender than the next one. `{id}` stands for the case's number. Everything below `/c/{id}/` is the
 * upstream's; `/c/{id}/heavy/*` and `/c/{id}/end` have route rules of their own (`ROUTE_RULES`), so that the counters
 * tell which method and path were decided.
 */
export interface Attack {
  name: string;
  bytes: string;
  /**
   * - `passed`: everything in it is well-formed and ours to forward: the requests of `sees` reach the upstream.
   * - `refused`: nothing reaches the upstream; the first answer has one of `status`.
   * - `tunnel`: becomes a WebSocket.
   * - `any`: either of the first two, by the parser's taste; the properties hold in any case.
   */
  outcome: 'passed' | 'refused' | 'tunnel' | 'any';
  /** What the upstream sees, as `METHOD target`. */
  sees: string[];
  /** Of the first answer. */
  status: number[];
  /** Sluice ends the connection after its answer: it cannot be sure where the next request begins. */
  closes: boolean;
  /** The request never becomes complete: a decision may be counted for what the upstream does not get. */
  broken: boolean;
}

const HOST = 'Host: a.example\r\n';
/** What a smuggler hides in a body. */
const HIDDEN = 'GET /smuggled/{id} HTTP/1.1\r\nHost: hidden.example\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n';
const CHUNKED = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'LOCK'];

/** Class and cost by path, beside the defaults: safe methods are `read`, other methods `write`. */
export const ROUTE_RULES = [
  { method: '*', path: '/c/:id/heavy/*', class: 'sensitive', cost: 7 },
  { method: '*', path: '/c/:id/end', class: 'auth', cost: 1 },
];

/** The last request on a connection that an attack leaves open. */
export const LAST = `GET /c/{id}/end HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

function head(start: string, ...fields: string[]): string {
  return `${start} HTTP/1.1\r\n${HOST}${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
}

const sized = `Content-Length: ${HIDDEN.length}`;
const chunked = 'Transfer-Encoding: chunked';

function passed(name: string, bytes: string, ...sees: string[]): Attack {
  return { name, bytes, outcome: 'passed', sees, status: [200], closes: false, broken: false };
}

function last(attack: Attack): Attack {
  return { ...attack, closes: true };
}

function refused(name: string, bytes: string, ...status: number[]): Attack {
  return {
    name,
    bytes,
    outcome: 'refused',
    sees: [],
    status: status.length === 0 ? [400] : status,
    closes: true,
    broken: false,
  };
}

function any(name: string, bytes: string): Attack {
  return { name, bytes, outcome: 'any', sees: [], status: [], closes: false, broken: false };
}

function broken(name: string, bytes: string): Attack {
  return { ...any(name, bytes), broken: true };
}

/** Every method with every kind of body. */
function bodies(): Attack[] {
  return METHODS.flatMap((method) => {
    const start = `${method} /c/{id}/x`;
    const sees = `${method} /c/{id}/x`;
    return [
      passed(`${method} without a body`, head(start), sees),
      passed(`${method} with a body of declared length`, head(start, sized) + HIDDEN, sees),
      passed(`${method} with a chunked body`, head(start, chunked) + CHUNKED, sees),
      passed(`${method} with an empty body`, head(start, 'Content-Length: 0'), sees),
      passed(`${method} with an empty chunked body`, `${head(start, chunked)}0\r\n\r\n`, sees),
    ];
  });
}

/** Everything that could be dropped by naming it, with a body that must stay one. */
function namedInConnection(): Attack[] {
  const names = [
    'close, content-length',
    'Content-Length',
    'content-length, transfer-encoding, host',
    'Transfer-Encoding',
    'Host',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Proxy-Authorization',
    'Proxy-Authenticate',
    'Proxy-Connection',
    'Expect',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto, X-Request-Id',
    'X-Request-Id',
    'X-Sluice-Peer',
    'X-Admin-Token',
    'Authorization',
    'Cookie',
    'Content-Type',
    'X-Api-Key',
    'Content-Encoding',
    'Accept',
    ' content-length ,, transfer-encoding',
    '"content-length"',
    'content_length',
  ];
  return names.flatMap((name) => {
    // `close` must not end the connection before the rest of a pair.
    const field = `Connection: ${name.replace('close, ', 'keep-alive, ')}`;
    return [
      passed(`Connection: ${name}, GET`, head('GET /c/{id}/x', field, sized) + HIDDEN, 'GET /c/{id}/x'),
      passed(`Connection: ${name}, chunked`, head('DELETE /c/{id}/x', field, chunked) + CHUNKED, 'DELETE /c/{id}/x'),
    ];
  });
}

/** Content-Length and Transfer-Encoding against each other and against themselves. */
function framing(): Attack[] {
  const post = (...fields: string[]) => head('POST /c/{id}/x', ...fields);
  const lengths = [
    '+5',
    '-5',
    '5 5',
    '5, 6',
    '5;',
    '0x5',
    '5.0',
    '5e0',
    'five',
    '',
    '99999999999999999999',
    '\v5',
    "'5'",
  ];
  const codings = [
    'chunked, chunked',
    'chunked, identity',
    'identity',
    'xchunked',
    'chunkedx',
    '"chunked"',
    'chunked;q=1',
    'chunked,',
    ', chunked',
    'chunked\v',
    '\vchunked',
    'gzip',
    'gzip, chunked',
    'cow',
    '',
    'chun ked',
  ];
  return [
    refused('CL and TE', `${post('Content-Length: 6', chunked)}0\r\n\r\nG`),
    refused('TE and CL', post(chunked, 'Content-Length: 4') + CHUNKED),
    refused('TE and CL of the whole', post(chunked, `Content-Length: ${CHUNKED.length}`) + CHUNKED),
    refused('CL and TE on GET', `${head('GET /c/{id}/x', 'Content-Length: 6', chunked)}0\r\n\r\nG`),
    refused('two different lengths', `${post('Content-Length: 5', 'Content-Length: 6')}hello!`),
    any('the same length twice', `${post('Content-Length: 5', 'Content-Length: 5')}hello`),
    any('a list of equal lengths', `${post('Content-Length: 5, 5')}hello`),
    passed('leading zeros in a length', `${post('Content-Length: 0005')}hello`, 'POST /c/{id}/x'),
    passed('spaces round a length', `${post('Content-Length:  5  ')}hello`, 'POST /c/{id}/x'),
    passed('a tab before a length', `${post('Content-Length:\t5')}hello`, 'POST /c/{id}/x'),
    passed('an odd case of chunked', post('tRaNsFeR-eNcOdInG: ChUnKeD') + CHUNKED, 'POST /c/{id}/x'),
    ...lengths.map((value) =>
      any(`Content-Length: ${JSON.stringify(value)}`, `${post(`Content-Length: ${value}`)}hello`),
    ),
    ...codings.map((value) =>
      any(`Transfer-Encoding: ${JSON.stringify(value)}`, post(`Transfer-Encoding: ${value}`) + CHUNKED),
    ),
    ...codings.map((value) =>
      any(
        `Transfer-Encoding: ${JSON.stringify(value)} and a length`,
        post(sized, `Transfer-Encoding: ${value}`) + HIDDEN,
      ),
    ),
    any('two codings', post(chunked, 'Transfer-Encoding: identity') + CHUNKED),
    any('two codings, the other way', post('Transfer-Encoding: identity', chunked) + CHUNKED),
    any('chunked twice', post(chunked, chunked) + CHUNKED),
    refused(
      'a space before the colon of Transfer-Encoding',
      `${post('Transfer-Encoding : chunked', 'Content-Length: 5')}hello`,
    ),
    refused('a space before the colon of Content-Length', `${post('Content-Length : 5')}hello`),
    passed(
      'Transfer_Encoding is another header',
      `${post('Transfer_Encoding: chunked', 'Content-Length: 5')}hello`,
      'POST /c/{id}/x',
    ),
    passed(
      'Content_Length is another header',
      `${post('Content_Length: 50', 'Content-Length: 5')}hello`,
      'POST /c/{id}/x',
    ),
    any(
      'chunked in HTTP/1.0',
      `POST /c/{id}/x HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n${chunked}\r\n\r\n${CHUNKED}`,
    ),
    any(
      'CL and TE in HTTP/1.0',
      `POST /c/{id}/x HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n${sized}\r\n${chunked}\r\n\r\n${HIDDEN}`,
    ),
    any('a folded Transfer-Encoding', post('Transfer-Encoding:\r\n chunked') + CHUNKED),
    any('a folded Content-Length', post(`Content-Length:\r\n ${HIDDEN.length}`) + HIDDEN),
    any('a folded Transfer-Encoding and a length', post('X: y\r\n Transfer-Encoding: chunked', sized) + HIDDEN),
    any('Transfer-Encoding after a bare LF', post(`X: y\nTransfer-Encoding: chunked`, sized) + HIDDEN),
    any('Transfer-Encoding after a bare CR', post(`X: y\rTransfer-Encoding: chunked`, sized) + HIDDEN),
    refused('Transfer-Encoding after NUL', post(`X: y\0Transfer-Encoding: chunked`, sized) + HIDDEN),
    any(
      'a length behind 300 headers',
      post(...Array.from({ length: 300 }, (_, index) => `X-${index}: y`), sized) + HIDDEN,
    ),
    any(
      'chunked behind 300 headers',
      post(...Array.from({ length: 300 }, (_, index) => `X-${index}: y`), chunked) + CHUNKED,
    ),
  ];
}

function chunks(): Attack[] {
  const post = (body: string) => head('POST /c/{id}/x', chunked) + body;
  const fine = (name: string, body: string) => passed(name, post(body), 'POST /c/{id}/x');
  return [
    fine('a chunk extension', '5;a=b\r\nhello\r\n0\r\n\r\n'),
    fine('a quoted chunk extension', '5;a="b c"\r\nhello\r\n0\r\n\r\n'),
    fine('many chunk extensions', `5${';a=b'.repeat(50)}\r\nhello\r\n0\r\n\r\n`),
    fine('an extension of the last chunk', '5\r\nhello\r\n0;a=b\r\n\r\n'),
    fine('leading zeros in a chunk size', '00000005\r\nhello\r\n000\r\n\r\n'),
    fine('a chunk size in capitals', 'A\r\n0123456789\r\n0\r\n\r\n'),
    fine('a trailer', '5\r\nhello\r\n0\r\nX-Checksum: 1\r\n\r\n'),
    broken('a trailer named Content-Length', post('5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n')),
    broken('a trailer named Transfer-Encoding', post('5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n')),
    fine('a trailer named Host', '5\r\nhello\r\n0\r\nHost: evil.example\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n'),
    passed(
      'a declared trailer',
      `${head('PUT /c/{id}/x', chunked, 'Trailer: X-Checksum', 'TE: trailers')}5\r\nhello\r\n0\r\nX-Checksum: 1\r\n\r\n`,
      'PUT /c/{id}/x',
    ),
    broken('a long chunk extension', post(`5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`)),
    broken('a bare LF in a chunk extension', post(`5;a\nb\r\nhello\r\n0\r\n\r\n${HIDDEN}`)),
    broken('a bare CR in a chunk extension', post(`5;a\rb\r\nhello\r\n0\r\n\r\n${HIDDEN}`)),
    broken('a bare LF after a chunk size', post('5\nhello\r\n0\r\n\r\n')),
    broken('a bare LF after a chunk', post('5\r\nhello\n0\r\n\r\n')),
    broken('only bare LF in a chunked body', post('5\nhello\n0\n\n')),
    broken('no CRLF after a chunk', post('5\r\nhello0\r\n\r\n')),
    broken('two bytes in place of CRLF after a chunk', post('5\r\nhelloXX0\r\n\r\n')),
    broken('a longer chunk than its size', post('3\r\nhello\r\n0\r\n\r\n')),
    broken('a negative chunk size', post('-5\r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size with 0x', post('0x5\r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size with +', post('+5\r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size with _', post('0_5\r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size after a space', post(' 5\r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size before spaces', post('5  \r\nhello\r\n0\r\n\r\n')),
    broken('a chunk size that overflows', post(`10000000000000005\r\nhello\r\n0\r\n\r\n`)),
    broken('a chunk size that wraps', post(`ffffffffffffffff\r\nhello\r\n0\r\n\r\n`)),
    broken('no chunk size', post(`\r\nhello\r\n0\r\n\r\n`)),
    broken('an invalid chunk size', post(`hello\r\n0\r\n\r\n`)),
    broken('no CRLF after the last chunk', post(`5\r\nhello\r\n0\r\n${HIDDEN}`)),
    broken('a folded trailer', post('5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n')),
    broken('a trailer without a colon', post('5\r\nhello\r\n0\r\nnothing\r\n\r\n')),
    broken('a NUL in a trailer', post('5\r\nhello\r\n0\r\nX: \0\r\n\r\n')),
  ];
}

function syntax(): Attack[] {
  const get = (fields: string) => `GET /c/{id}/x HTTP/1.1\r\n${HOST}${fields}\r\n\r\n`;
  return [
    any('bare LF at the ends of all lines', `GET /c/{id}/x HTTP/1.1\nHost: a.example\n\n`),
    any('a bare LF at the end of one line', get('X: y\nZ: 1')),
    any('a bare LF at the end of the head', `GET /c/{id}/x HTTP/1.1\r\n${HOST}\n`),
    any('a bare CR at the end of a line', get('X: y\rZ: 1')),
    any('CR CR LF', get('X: y\r')),
    any('a folded header', get('X: y\r\n z')),
    any('a folded header with a request in it', get(`X: y\r\n GET /smuggled/{id} HTTP/1.1\r\n Host: b`)),
    any('a folded first header', `GET /c/{id}/x HTTP/1.1\r\n X: y\r\n${HOST}\r\n`),
    any('empty lines before a request', `\r\n\r\nGET /c/{id}/x HTTP/1.1\r\n${HOST}\r\n`),
    refused('a NUL in a value', get('X: a\0b')),
    refused('a control character in a value', get('X: a\x01b')),
    refused('a NUL in a name', get('X\0: a')),
    refused('a space in a name', get('X Y: a')),
    refused('a name of nothing', get(': a')),
    refused('a header without a colon', get('nothing')),
    refused('a header name that is not ASCII', get('X-\xe9: a')),
    passed('a value that is not ASCII', get('X: \xe9\xff'), 'GET /c/{id}/x'),
    any('a tab after the method', `GET\t/c/{id}/x HTTP/1.1\r\n${HOST}\r\n`),
    any('two spaces after the method', `GET  /c/{id}/x HTTP/1.1\r\n${HOST}\r\n`),
    any('two spaces after the target', `GET /c/{id}/x  HTTP/1.1\r\n${HOST}\r\n`),
    any('a space in the target', `GET /c/{id}/x /y HTTP/1.1\r\n${HOST}\r\n`),
    any('no version', `GET /c/{id}/x\r\n${HOST}\r\n`),
    any('HTTP/0.9', `GET /c/{id}/x HTTP/0.9\r\n${HOST}\r\n`),
    any('HTTP/1.2', `GET /c/{id}/x HTTP/1.2\r\n${HOST}\r\n`),
    any('HTTP/2.0', `GET /c/{id}/x HTTP/2.0\r\n${HOST}\r\n`),
    any('HTTP/11', `GET /c/{id}/x HTTP/11\r\n${HOST}\r\n`),
    any('http in small letters', `GET /c/{id}/x http/1.1\r\n${HOST}\r\n`),
    any('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    any('a method in small letters', `get /c/{id}/x HTTP/1.1\r\n${HOST}\r\n`),
    any('a method that nobody knows', `FOO /c/{id}/x HTTP/1.1\r\n${HOST}\r\n`),
    refused('TRACE', `TRACE /c/{id}/x HTTP/1.1\r\n${HOST}\r\n`, 405, 400),
    passed('PROPFIND', head('PROPFIND /c/{id}/x'), 'PROPFIND /c/{id}/x'),
    any('QUERY with a body', head('QUERY /c/{id}/x', sized) + HIDDEN),
    refused('a head of 17 KiB', get(`X: ${'y'.repeat(17 * 1024)}`), 431, 400),
    refused('250 headers', get(Array.from({ length: 250 }, (_, index) => `X-${index}: y`).join('\r\n')), 431),
    refused('a request line of garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'),
    passed(
      'HTTP/1.0 that wants to stay',
      `GET /c/{id}/x HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n`,
      'GET /c/{id}/x',
    ),
  ];
}

function targets(): Attack[] {
  const get = (target: string) => head(`GET ${target}`);
  const asSent = (target: string) => passed(`target ${target}`, get(target), `GET ${target}`);
  return [
    asSent('/c/{id}/x?a=1&b=%2F%20'),
    asSent('/c/{id}/x?'),
    asSent('/c/{id}//x///y/'),
    asSent('/c/{id}/x%2Fy%2e%2E/'),
    asSent('/c/{id}/x/../y/./z'),
    asSent('/c/{id}/x\\y'),
    asSent("/c/{id}/x;a=b,c!$&'()*+"),
    asSent('/c/{id}/x?q=[]{}|^`"<>'),
    asSent('//c/{id}/x'),
    asSent('/c/{id}/heavy/1'),
    asSent('/c/{id}//heavy/1'),
    asSent('/c/{id}/%68eavy/1'),
    asSent('/c/{id}/%2568eavy/1'),
    asSent('/c/{id}/x/../heavy/1'),
    asSent('/c/{id}/x/%2e%2e/heavy/1'),
    asSent('/c/{id}\\heavy\\1'),
    asSent('/c/{id}/heavy/1?'),
    asSent('/c/{id}/heavy/1/'),
    asSent('/c/{id}/x?/../heavy/1'),
    refused('a fragment', get('/c/{id}/x#y')),
    refused('a fragment that hides a path', get('/c/{id}/x#/../heavy/1')),
    refused('bytes that are not ASCII', get('/c/{id}/\xc3\xa9')),
    refused('DEL', get('/c/{id}/\x7f')),
    refused('a broken percent sign', get('/c/{id}/%zz')),
    asSent('/c/{id}/%ff'),
    refused('an encoded NUL', get('/c/{id}/%00')),
    refused('absolute form', get('http://a.example/c/{id}/x')),
    refused('absolute form of another host', get('http://evil.example/c/{id}/x')),
    refused('absolute form with another path behind it', get('http://a.example/c/{id}/x?http://b/c/{id}/heavy/1')),
    refused('absolute form of https', get('https://a.example/c/{id}/x')),
    refused('absolute form without a host', get('http:///c/{id}/x')),
    refused('authority form', get('a.example:80')),
    refused('asterisk form', head('OPTIONS *')),
    refused('asterisk form of GET', get('*')),
    refused('a target without a slash', get('c/{id}/x')),
    refused('a query only', get('?c/{id}/x')),
    refused('CONNECT', head('CONNECT a.example:80'), 405, 400),
    refused('CONNECT with a body', head('CONNECT a.example:80', sized) + HIDDEN, 405, 400),
    refused('CONNECT to a path', head('CONNECT /c/{id}/x'), 405, 400),
  ];
}

function hosts(): Attack[] {
  const get = (host: string, path = '/c/{id}/heavy/1') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const good = [
    'a',
    'a.example',
    'A.Example.',
    'a_b.example',
    '127.0.0.1',
    'a:80',
    'a:',
    '[::1]',
    '[::1]:8080',
    'xn--bcher-kva.example',
  ];
  const bad = [
    'a?',
    'a?b',
    'a#',
    'a/',
    'a/?x=',
    'a\\',
    'a\\b',
    'u@h',
    'u:p@h',
    '@h',
    'a b',
    'a,b',
    'a, b',
    'a;b',
    'a%41',
    'a%2f',
    "a'b",
    'a"b',
    '<a>',
    'a|b',
    '\xe4',
    ':80',
    'a:b',
    'a:80:80',
    'a:99999',
    'a:-1',
    'a:+80',
    '[::1',
    '::1',
    '[::1]x',
    '[::g]',
    '[v1.a]',
    '[fe80::1%25eth0]',
    '[]',
    'http://a',
    `${'a'.repeat(300)}`,
  ];
  return [
    ...good.map((host) => passed(`Host: ${host}`, get(host), 'GET /c/{id}/heavy/1')),
    ...bad.map((host) => refused(`Host: ${host.slice(0, 20)}`, get(host))),
    refused('an empty Host', get('')),
    refused('no Host', 'GET /c/{id}/x HTTP/1.1\r\n\r\n'),
    refused('two Hosts', 'GET /c/{id}/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'),
    refused('the same Host twice', 'GET /c/{id}/x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'),
    refused('a Host after a space', 'GET /c/{id}/x HTTP/1.1\r\nHost : a\r\n\r\n'),
    refused('a bad Host with a body', `POST /c/{id}/x HTTP/1.1\r\nHost: a?\r\n${sized}\r\n\r\n${HIDDEN}`),
    refused('a bad Host in HTTP/1.0', 'GET /c/{id}/x HTTP/1.0\r\nHost: a?\r\nConnection: keep-alive\r\n\r\n'),
    passed('no Host in HTTP/1.0', 'GET /c/{id}/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 'GET /c/{id}/x'),
  ];
}

function upgrades(): Attack[] {
  const offer = (protocol: string, method = 'GET', ...fields: string[]) =>
    head(`${method} /c/{id}/x`, 'Connection: Upgrade', `Upgrade: ${protocol}`, ...fields);
  const socket = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  return [
    refused('a WebSocket with a length', offer('websocket', 'GET', ...socket, sized) + HIDDEN),
    refused('a WebSocket with a length and no body', offer('websocket', 'GET', ...socket, 'Content-Length: 200')),
    refused('a WebSocket with chunks', offer('websocket', 'GET', ...socket, chunked) + CHUNKED),
    refused('a WebSocket in capitals with a length', offer('WebSocket', 'GET', ...socket, sized) + HIDDEN),
    last(
      passed(
        'a WebSocket that the upstream does not take',
        offer('websocket', 'GET', ...socket, 'Content-Length: 0'),
        'GET /c/{id}/x',
      ),
    ),
    last(passed('a WebSocket on POST', offer('websocket', 'POST', ...socket, sized) + HIDDEN, 'POST /c/{id}/x')),
    last(
      passed(
        'a WebSocket that names its length',
        offer('websocket', 'GET', 'Connection: content-length, host'),
        'GET /c/{id}/x',
      ),
    ),
    passed('h2c', offer('h2c', 'GET', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'), 'GET /c/{id}/x'),
    passed('h2c on HEAD', offer('h2c', 'HEAD'), 'HEAD /c/{id}/x'),
    last(passed('h2c with a length', offer('h2c', 'GET', sized) + HIDDEN, 'GET /c/{id}/x')),
    last(passed('h2c with chunks', offer('h2c', 'POST', chunked) + CHUNKED, 'POST /c/{id}/x')),
    passed('h2c three times', offer('h2c').repeat(3), 'GET /c/{id}/x', 'GET /c/{id}/x', 'GET /c/{id}/x'),
    passed(
      'h2c before and behind another',
      offer('h2c') + head('GET /c/{id}/y') + offer('h2c'),
      'GET /c/{id}/x',
      'GET /c/{id}/y',
      'GET /c/{id}/x',
    ),
    passed('WebSocket and h2c', offer('websocket, h2c'), 'GET /c/{id}/x'),
    passed('TLS', offer('TLS/1.0'), 'GET /c/{id}/x'),
    passed('an empty offer', offer(''), 'GET /c/{id}/x'),
    passed('an offer that Connection does not name', head('GET /c/{id}/x', 'Upgrade: websocket'), 'GET /c/{id}/x'),
    passed('an offer without what', head('GET /c/{id}/x', 'Connection: Upgrade'), 'GET /c/{id}/x'),
    refused(
      'a WebSocket with a bad Host',
      `GET /c/{id}/ws HTTP/1.1\r\nHost: a?\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${socket.join('\r\n')}\r\n\r\n`,
    ),
    refused(
      'a WebSocket in absolute form',
      head('GET http://a.example/c/{id}/ws', 'Connection: Upgrade', 'Upgrade: websocket', ...socket),
    ),
    {
      ...any('a WebSocket', head('GET /c/{id}/ws', 'Connection: Upgrade', 'Upgrade: websocket', ...socket)),
      outcome: 'tunnel',
      sees: ['GET /c/{id}/ws'],
      status: [101],
    },
    {
      ...any(
        'a WebSocket to a heavy path',
        head('GET /c/{id}/heavy/ws', 'Connection: Upgrade', 'Upgrade: websocket', ...socket),
      ),
      outcome: 'tunnel',
      sees: ['GET /c/{id}/heavy/ws'],
      status: [101],
    },
  ];
}

function expectations(): Attack[] {
  const post = (...fields: string[]) => head('POST /c/{id}/x', ...fields);
  return [
    {
      ...passed('Expect: 100-continue', post('Expect: 100-continue', sized) + HIDDEN, 'POST /c/{id}/x'),
      status: [100, 200],
    },
    {
      ...passed('Expect: 100-continue and chunks', post('Expect: 100-continue', chunked) + CHUNKED, 'POST /c/{id}/x'),
      status: [100, 200],
    },
    {
      ...passed('Expect: 100-continue without a body', head('GET /c/{id}/x', 'Expect: 100-continue'), 'GET /c/{id}/x'),
      status: [100, 200],
    },
    refused('Expect: foo', head('GET /c/{id}/x', 'Expect: foo'), 417),
    refused('Expect: foo with a body', post('Expect: foo', sized) + HIDDEN, 417),
    passed(
      'Expect in HTTP/1.0',
      `GET /c/{id}/x HTTP/1.0\r\n${HOST}Connection: keep-alive\r\nExpect: 100-continue\r\n\r\n`,
      'GET /c/{id}/x',
    ),
  ];
}

function fields(): Attack[] {
  const get = (name: string, ...list: string[]) => passed(name, head('GET /c/{id}/x', ...list), 'GET /c/{id}/x');
  return [
    get('X-Forwarded-For of the client', 'X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 7.7.7.7'),
    get('X_Forwarded_For', 'X_Forwarded_For: 6.6.6.6', 'X_Forwarded_Host: evil.example', 'X_Request_Id: forged-id-1'),
    get('X-Forwarded-Host and -Proto', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https'),
    get('X-Sluice-Peer', 'X-Sluice-Peer: nonce 6.6.6.6'),
    get('an invalid X-Request-Id', 'X-Request-Id: a b\tc'),
    get('two X-Request-Id', 'X-Request-Id: request-1', 'X-Request-Id: request-2'),
    get(
      'our own tokens',
      'X-Admin-Token: x',
      'Authorization: Bearer slt_abcdefghijklmnop',
      'Cookie: next-auth.session-token=x',
    ),
    get('two Authorization', 'Authorization: Basic eDp5', 'Authorization: Bearer slt_abcdefghijklmnop'),
    get('two Content-Type', 'Content-Type: text/plain', 'Content-Type: application/json'),
    get('two Cookie', 'Cookie: a=1', 'Cookie: b=2'),
    get('__proto__', '__proto__: x', 'constructor: y', 'toString: z'),
    get('a header 150 times', ...Array.from({ length: 150 }, () => 'X-Y: z')),
    get('TE: trailers', 'TE: trailers', 'Connection: TE'),
    get('Keep-Alive and Proxy-Connection', 'Keep-Alive: timeout=5', 'Proxy-Connection: keep-alive'),
    get('Proxy-Authorization', 'Proxy-Authorization: Basic eDp5'),
  ];
}

function unfinished(): Attack[] {
  return [
    broken('a shorter body than declared', `${head('POST /c/{id}/x', 'Content-Length: 5000')}hello`),
    broken('a shorter body than declared, GET', `${head('GET /c/{id}/x', 'Content-Length: 5000')}hello`),
    broken('no body of the declared length', head('POST /c/{id}/x', 'Content-Length: 5000')),
    broken('chunks without an end', `${head('POST /c/{id}/x', chunked)}5\r\nhello\r\n`),
    broken('half a chunk', `${head('POST /c/{id}/x', chunked)}ffff\r\nhello`),
    broken('no chunk', head('DELETE /c/{id}/x', chunked)),
    broken('half a head', `GET /c/{id}/x HTTP/1.1\r\n${HOST}X: `),
    broken('half a request line', 'GET /c/{id}/'),
    broken('a length of 2^53', `${head('POST /c/{id}/x', 'Content-Length: 9007199254740993')}hello`),
  ];
}

/** All of them, in an order that never changes. */
export function corpus(): Attack[] {
  return [
    ...bodies(),
    ...namedInConnection(),
    ...framing(),
    ...chunks(),
    ...syntax(),
    ...targets(),
    ...hosts(),
    ...upgrades(),
    ...expectations(),
    ...fields(),
    ...unfinished(),
  ];
}

/** One after the other on one connection. What becomes of the second is sure when the first leaves it open, or ends it. */
function pair(first: Attack, second: Attack): Attack {
  const bytes = first.bytes + second.bytes;
  const name = `${first.name} + ${second.name}`;
  if (first.outcome === 'passed' && first.closes) return { ...first, name, bytes };
  if (first.outcome === 'passed' && second.outcome === 'passed')
    return { ...second, name, bytes, sees: [...first.sees, ...second.sees], status: first.status };
  return { ...any(name, bytes), broken: first.broken || second.broken };
}

/** Pairs in which every attack is `rounds` times the first and `rounds` times the second, the same in every run. */
export function pairs(attacks: readonly Attack[], rounds: number): Attack[] {
  return Array.from({ length: rounds }).flatMap((_, round) =>
    attacks.flatMap((first, index) => {
      // Another prime for each round, so that neighbours are of different kinds.
      const second = attacks[(index * 7 + 31 + round * 97) % attacks.length];
      return second === undefined ? [] : pair(first, second);
    }),
  );
}
