import { Skeleton } from '@/components/ui/skeleton';

export default function Loading() {
  return (
    <div role="status" className="flex flex-col gap-5">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-7 w-48" />
      <Skeleton className="h-8 w-80 max-w-full" />
      <Skeleton className="h-80 rounded-lg" />
    </div>
  );
}
