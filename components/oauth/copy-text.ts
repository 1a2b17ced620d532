import { toast } from '@/components/ui/toast';

/** Copies a text. `said` is the toast's title; `meaning` and `alternative` explain success and failure. */
export async function copyText(
  text: string,
  confirmation: string,
  meaning?: string,
  alternative?: string,
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(confirmation, { description: meaning });
  } catch {
    toast.error('The browser did not allow copying.', { description: alternative });
  }
}
