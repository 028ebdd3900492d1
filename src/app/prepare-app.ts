import { checkPages } from '../features/pages/pages-contract.js'
import { OtherDenials } from '../pipeline/log-failure.js'
import { RequestSecrets } from '../pipeline/request-secrets.js'
import { addRoutes } from './add-routes.js'
import type { AppLogger } from './app-logger.js'
import type { DeclaredApp } from './declared-app.js'
import { ignoredOverrides, logWarnings, throwErrors } from './describe.js'
import type { DescribedApp } from './described-app.js'
import { configureExpressHost } from './express-host.js'
import { allPlugins } from './features.js'
import type { FrameworkProviders } from './framework-providers.js'
import { NO_HARNESS } from './harness.js'

/** An application before it is read. */
interface UnreadApp
  extends Pick<
    DescribedApp,
    'harness' | 'express' | 'isClosing' | 'requestLogs' | 'currentRequest' | 'outgoing'
  > {
  readonly declared: DeclaredApp
  readonly logger: AppLogger
  readonly app: FrameworkProviders['app']
}

/**
 * Reads an application for its start: everything before the first instance is created.
 *
 * @throws ConfigError with all mistakes, missing providers included.
 */
export async function prepareApp(unread: UnreadApp): Promise<DescribedApp> {
  try {
    await unread.declared.load()
    return await prepare(unread)
  } catch (error) {
    // Loaded here, because a start needs it seldom.
    const { addMissing } = await import('./find-missing.js')
    throw await addMissing(error, unread.declared, unread.harness)
  }
}

async function prepare({ declared, app, ...unread }: UnreadApp): Promise<DescribedApp> {
  const { settings, description, documents, features } = declared
  const { harness, express, requestLogs, outgoing } = unread
  const { model } = description
  const secrets = new RequestSecrets(settings.converters)
  const { logger } = await unread.logger.open({ settings, harness, model, secrets })
  requestLogs.start(logger, secrets.hide)
  const tenantHeader = settings.tenant?.header
  outgoing.start({
    clock: harness.clock,
    logger,
    settings: settings.outgoing,
    credentials: [...settings.auth.credentials.headers, ...(tenantHeader ? [tenantHeader] : [])],
    answer: harness.answerCall,
  })
  configureExpressHost(express, settings)
  const denials = new OtherDenials()
  const described = () => ({ model, settings, documents })
  let { keys } = settings.cookies
  const cookieKeys = () => keys
  const given = await allPlugins(settings, model, { denials, cookieKeys, described })
  const plugins = [...given, ...harness.plugins]
  const { frameworkRoutes, problems } = addRoutes({ documents, plugins, model, app, settings })
  const isTest = harness !== NO_HARNESS
  // Tests and commands read options to which the start adds keys. Only a real start can miss them.
  const keyless = isTest ? [] : checkPages(model, settings.cookies)
  const warnings = throwErrors([...problems, ...keyless], settings)
  const ignored = isTest ? [] : ignoredOverrides(settings)
  logWarnings(logger, [...description.warnings, ...warnings, ...ignored])
  return {
    ...unread,
    settings,
    description,
    logger,
    clock: harness.clock,
    secrets,
    declaredFeatures: features,
    plugins,
    denials,
    useKeys: (made) => {
      keys = made
    },
    frameworkRoutes,
  }
}
