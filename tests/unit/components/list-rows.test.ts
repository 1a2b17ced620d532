import { createElement } from 'react';
import { ListRows } from '@/components/list/list-rows';
import type { ResourceListState } from '@/components/list/use-resource-list';
import { listAlerts } from '@/lib/contract/alerts';
import { renderComponent } from '../../fixtures/render-component';
import { table } from '../../fixtures/table';

type Row = { id: number };
const Nothing = () => null;

const createList = (sort: string | undefined): ResourceListState<Row> => {
  const nothing = () => undefined;
  return {
    declaration: {
      ...{ columns: [], key: 'alerts', label: 'Alerts', noun: 'alert', noMatch: 'No alert matches' },
      contract: listAlerts as never,
      rowId: ({ id }) => id,
    },
    ...{ rows: [{ id: 1 }, { id: 2 }], total: 240, hasMore: true, sort, error: null, empty: undefined },
    ...{ isLoadingMore: false, isStale: false, isFiltered: false, tab: undefined, Rows: Nothing },
    age: { isRefetchError: false, fetchStatus: 'idle', dataUpdatedAt: 1 },
    ...{ text: '', facets: {}, filters: {}, download: () => '' },
    ...{ retry: nothing, loadMore: nothing, setText: nothing, setSort: nothing, setTab: nothing, setFacet: nothing },
    clear: nothing,
  };
};

const readFooter = (sort: string | undefined) => {
  const html = renderComponent(createElement(ListRows<Row>, { list: createList(sort) }));
  return [/The \w+ [^<]+/.exec(html)?.[0], /Load \w+/.exec(html)?.[0]];
};

table('the footer of a list that is sorted by %s', readFooter, [
  [undefined, ['The newest 2 of 240 alerts', 'Load older']],
  ['-urgency', ['The first 2 of 240 alerts', 'Load more']],
]);
