import type { Feature } from '../../step/feature.js'
import { pagesContract } from './pages-contract.js'

/** The settings that pages read. */
export interface PagesSettings {
  readonly cookies: { readonly keys: readonly string[] }
}

/** `@Paged`. */
export const pages: Feature<PagesSettings> = {
  name: 'pages',
  contract: () => pagesContract,
  places: ({ pages }) => (pages === null ? [] : ['beforeHandler']),
  load({ model: { routes }, settings }) {
    if (routes.every(({ pages }) => pages === null)) return null
    return import('./pages-plugin.js').then((file) => file.pagesPlugin(settings.cookies.keys))
  },
}
