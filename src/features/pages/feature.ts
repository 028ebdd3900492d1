import type { Feature } from '../../step/feature.js'
import { pagesContract } from './pages-contract.js'

/** The parts of an application that paged lists use. */
export interface PagesParts {
  /** Returns the keys that sign cookies and cursors. They are available after the providers are constructed. */
  readonly cookieKeys: () => readonly string[]
}

/** `@Paged`. */
export const pages: Feature<unknown, PagesParts> = {
  name: 'pages',
  contract: () => pagesContract,
  places: ({ pages }) => (pages === null ? [] : ['beforeHandler']),
  load({ model: { routes }, cookieKeys }) {
    if (routes.every(({ pages }) => pages === null)) return null
    return import('./pages-plugin.js').then((file) => file.pagesPlugin(cookieKeys))
  },
}
