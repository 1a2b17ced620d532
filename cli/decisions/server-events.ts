/** Server-sent event (HTML Living Standard, section 9.2). */
interface StreamedEvent {
  /** Last id of the stream. Empty until there is one. */
  id: string;
  event: string;
  data: string;
}

/**
 * Parses the events of a stream as they arrive.
 * @param onBytes runs for any data, heartbeats included
 */
export async function* parseServerEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const bytes of body) {
    onBytes();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'id') id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
  }
}
