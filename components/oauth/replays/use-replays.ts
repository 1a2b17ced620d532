'use client';

import { useState } from 'react';
import { toast } from 'sonner';
import { callApi } from '@/components/api-client';
import { explainError } from '@/components/explain-error';
import { ReplayReportSchema } from '@/lib/contract/lab';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/** An attack that was played, and the controls that were off. */
export interface Played {
  report: ReplayReport;
  off: string;
}

/** Plays attacks against the lab with the given controls. */
export function useReplays(controls: Controls) {
  const [played, setPlayed] = useState<Readonly<Record<string, Played>>>({});
  const [playing, setPlaying] = useState<ReadonlySet<string>>(new Set());
  const off = switchedOff(controls);

  const play = async (ids: readonly string[]) => {
    setPlaying(new Set(ids));
    for (const id of ids) {
      try {
        const { value } = await callApi(`/v1/oauth-lab/replays/${id}`, {
          method: 'POST',
          body: { off },
          schema: ReplayReportSchema,
        });
        setPlayed((before) => ({ ...before, [id]: { report: value, off: off.join(' ') } }));
      } catch (error) {
        const { title, text } = explainError(error);
        toast.error(title, { description: text });
        break;
      } finally {
        setPlaying((before) => new Set([...before].filter((one) => one !== id)));
      }
    }
    setPlaying(new Set());
  };
  return { played, playing, play, off: off.join(' ') };
}
