import type { AppDescription } from './announce.js'
import type { UnstartedApp } from './unstarted-app.js'

/** The parts of an application for the command line. Code that nothing else uses is loaded when it is called. */
export function describedBy(unstarted: UnstartedApp): AppDescription {
  const { app, reading } = unstarted
  return {
    load: () => reading.load(),
    documents: () => reading.documents,
    routes: () => app.getRouteTable(),
    warnings: () => reading.description.warnings,
    options: () => reading.options,
    explain: (query) => reading.explain(query),
    async examine() {
      const { examineApp } = await import('./doctor/examine-app.js')
      return examineApp(unstarted)
    },
  }
}
