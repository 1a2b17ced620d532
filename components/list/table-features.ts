import {
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  sortFns,
  tableFeatures,
} from '@tanstack/react-table';

/** What every list can do: sort and page. Filtering happens before, so that exports see the same rows. */
export const listFeatures = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortFns,
  columnMeta: {} as { className?: string },
});

export type ListFeatures = typeof listFeatures;

/** Makes typed columns for a list. `meta.className` goes to every cell of the column and its heading. */
export function listColumns<Row extends RowData>() {
  return createColumnHelper<ListFeatures, Row>();
}
