import { reportLoss, waitUntilBack } from '@/components/api/reach';

/**
 * Loads a part of the console at first use, such as a dialog. If the server is down it waits, because a failed import
 * would fail until the page is reloaded.
 */
export function loadPatiently<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch(async () => {
      reportLoss();
      await waitUntilBack('What you requested');
      return load();
    });
}
