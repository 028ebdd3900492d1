import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { Dashboard } from '../../../src/cli/dev/dashboard/dashboard.js'
import { type PageFiles, readPageFiles } from '../../../src/cli/dev/dashboard/dashboard-server.js'
import { builtPackage } from '../built-package.js'

/** The port of an application that the dashboard shows, and that does not exist. */
export const APP_PORT = 3456

/** A dashboard on a port. */
export interface OpenDashboard {
  readonly dashboard: Dashboard
  readonly port: number
  readonly token: string
  readonly origin: string
}

/** The files of the page as they are published. */
export function builtFiles(): PageFiles {
  return readPageFiles(pathToFileURL(join(builtPackage(), 'dist/cli/dev/dashboard/page/')))
}

/** Files for tests that show no page. */
export const NO_PAGE: PageFiles = new Map([['/', { type: 'text/html', body: 'page' }]])

export async function openDashboard(files: PageFiles = NO_PAGE): Promise<OpenDashboard> {
  const dashboard = await Dashboard.open({ port: 0, files, note: () => {} })
  onTestFinished(() => dashboard.close())
  const { origin, port, hash } = new URL(dashboard.url)
  return { dashboard, port: Number(port), token: hash.replace('#token=', ''), origin }
}
