import { reportLoss, whenBack } from '@/components/api/reach';

/**
 * Loads a part of the console that is fetched when it is first needed, such as a dialog. Where the server is away it is
 * waited for: a part that failed once would fail for as long as the page is open.
 */
export function patient<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch(async () => {
      reportLoss();
      await whenBack('What you asked for');
      return load();
    });
}
