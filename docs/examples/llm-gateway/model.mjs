// What both gateways share: the limits of a request, the call of the model, and the usage that it reports.

/** @param {{ max_tokens?: number, stream?: boolean }} body */
export function listLimits(subject, { max_tokens: cost = 1_000, stream = false }) {
  const limits = [
    { name: 'requests', subject },
    { name: 'tokens', subject, cost },
  ];
  return stream ? [...limits, { name: 'streams', subject }] : limits;
}

/** Calls a model with the API of OpenAI. A stream reports its usage in the last event. */
export function callModel(body) {
  const asked = body.stream ? { ...body, stream_options: { include_usage: true } } : body;
  return fetch(`${process.env.MODEL_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_KEY}` },
    body: JSON.stringify(asked),
  }).catch(() => Response.json({ error: 'model_unavailable' }, { status: 502 }));
}

/**
 * Returns the body of an answer. When it ends, or its reader leaves, `ended` receives the tokens that were used. Without
 * a report of the model the estimate stands, unless the model failed.
 */
export function watchUsage(answer, ended) {
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let tail = '';
  const end = () => {
    const tokens = [...tail.matchAll(/"total_tokens": ?(\d+)/g)].at(-1)?.[1];
    if (tokens !== undefined) ended({ tokens: Number(tokens) });
    else ended(answer.ok ? {} : { tokens: 0 });
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          tail = (tail + decoder.decode(value, { stream: true })).slice(-10_000);
          return controller.enqueue(value);
        }
        end();
        controller.close();
      } catch (error) {
        // The model broke off.
        end();
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}

/** @returns {{ status: number, headers: Record<string, string>, body: object }} */
export function describeRefusal({ error, error_description, limit_name, retry_after }) {
  const headers = retry_after === undefined ? {} : { 'Retry-After': String(retry_after) };
  const status = error === 'service_unavailable' ? 503 : 429;
  return { status, headers, body: { error, error_description, limit_name } };
}
