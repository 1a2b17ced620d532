import { Skeleton } from '@/components/ui/skeleton';
import { TableCell } from '@/components/ui/table';

const ROWS = ['w-3/5', 'w-4/5', 'w-1/2', 'w-3/4', 'w-2/3', 'w-3/5'];

/** Rows of the table's shape while the real ones load. One class name for each column. */
export function ListSkeleton({ columns }: { columns: readonly (string | undefined)[] }) {
  return ROWS.map((width, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: these rows have no identity and never move
    <tr key={row} className="border-b">
      {columns.map((className, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <TableCell key={column} className={className}>
          <Skeleton className={`h-3.5 max-w-40 min-w-6 ${width}`} />
        </TableCell>
      ))}
    </tr>
  ));
}
