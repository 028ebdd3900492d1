import type { UnstartedApp } from './declared-app.js'
import type { AppDescription } from './describer.js'

/**
 * Returns the parts of an application that the command line reads. `explain` and `examine` load their modules when they
 * are called.
 */
export function describedBy(unstarted: UnstartedApp): AppDescription {
  const { app, declared } = unstarted
  return {
    load: () => declared.loadForeignCheck(),
    documents: () => declared.documents,
    routes: () => app.getRouteTable(),
    warnings: () => declared.description.warnings,
    options: () => declared.options,
    explain: (query) => declared.explain(query),
    async examine() {
      const { examineApp } = await import('./doctor/examine-app.js')
      return examineApp(unstarted)
    },
  }
}
