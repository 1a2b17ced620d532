import type { ServerResponse } from 'node:http';
import { escapeMarkup } from '@/lib/oauth/report/escape-markup';

interface World {
  is: (...names: string[]) => boolean;
  random: () => string;
  page: (response: ServerResponse, status: number, body: string, options?: { isFramed?: boolean }) => void;
}

/** The page of consent of the hand-written server. Its answer needs a ticket that the page holds. */
export function plantedConsent({ is, random, page }: World) {
  const tickets = new Set<string>();

  function ask(response: ServerResponse, asked: URLSearchParams, { name, home }: { name: string; home: string }) {
    const ticket = random();
    tickets.add(ticket);
    const shown = is('markup in the name of a client') ? name : escapeMarkup(name);
    const isLinked = /^https?:/.test(home) || (home !== '' && is('a script as the home of a client'));
    const fields = Object.entries({ ticket, request: asked.toString() }).map(
      ([field, value]) => `<input type="hidden" name="${field}" value="${escapeMarkup(value)}">`,
    );
    page(
      response,
      200,
      `<p>${isLinked ? `<a href="${escapeMarkup(home)}">Home</a>` : ''}${shown}</p>` +
        `<form method="post" action="/consent">${fields.join('')}<button>Allow</button>` +
        '<button name="answer" value="deny">Deny</button></form>',
      { isFramed: is('consent in frames') },
    );
  }

  /** Returns the request that the person agreed to, or null. */
  function readAnswer(body: URLSearchParams): URLSearchParams | null {
    const ticket = body.get('ticket') ?? '';
    const isHeld = is('consent tickets again and again') ? tickets.has(ticket) : tickets.delete(ticket);
    if (!isHeld && !is('consent without its ticket')) return null;
    if (body.has('answer') && !is('codes in spite of a refusal')) return null;
    const asked = new URLSearchParams(body.get('request') ?? '');
    asked.delete('prompt');
    return asked;
  }

  return { ask, readAnswer };
}
