import { after } from 'next/server';
import { everyMethod } from '@/lib/http/methods';
import { withWorkAfterAnswer } from '@/lib/process/after-answer';
import { answerApi } from '@/lib/process/answer-api';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(
  withWorkAfterAnswer(after, runtime, answerApi),
);
