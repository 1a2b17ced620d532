import { expect, it } from 'vitest';
import { buildErrorAnswer } from '@/lib/http/error-answer';

const isProblem = (accept: string | null) => {
  const fault = { status: 404, code: 'not_found', description: 'There is no such key.' };
  const { headers, body } = buildErrorAnswer(fault, accept, 'request');
  expect('title' in JSON.parse(body)).toBe(headers['Content-Type'] === 'application/problem+json');
  return 'title' in JSON.parse(body);
};

it.each([
  'application/problem+json',
  'APPLICATION/Problem+JSON',
  'text/html, application/problem+json;q=0.001',
  'application/problem+json ; charset=utf-8 ; q=1, */*;q=0',
])('`Accept: %s` asks for problem details', (accept) => expect(isProblem(accept)).toBe(true));

it.each([
  null,
  '*/*',
  'application/json',
  'application/problem+json;q=0',
  'application/problem+json; Q=0.000, application/json',
  'application/problem+jsonx',
  'text/html;note=application/problem+json',
])('`Accept: %s` does not', (accept) => expect(isProblem(accept)).toBe(false));
