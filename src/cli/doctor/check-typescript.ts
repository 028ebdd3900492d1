import { relative } from 'node:path'
import type { Configuration, Configurations } from './configurations.js'
import { runsTsx } from './configurations.js'
import { type Checked, type Finding, finding, found, notChecked } from './finding.js'
import { findInstalled } from './installed.js'
import type { Project } from './project.js'
import { findIn, type Source } from './sources.js'

/** The oldest target whose output runs: older ones make functions of classes, which cannot extend the classes of a package. */
const OLDEST_TARGET = 2015
/** What can be imported is in `exports` of the package, which these do not read. */
const CANNOT_RESOLVE = ['classic']
/** Decorators of parameters, which only the legacy dialect has. */
const OF_PARAMETER =
  /[(,]\s*@(?:Body|Params|Query|Headers|Req|Res|CurrentUser|TenantId|Inject)\([^()]*\)\s*(?:(?:private|public|protected|readonly)\s+)*[\w{[]/

/** Checks the `tsconfig.json` of the entry, and compares it with those of other tools. */
export function checkTypeScript(project: Project, { all, findings }: Configurations): Checked {
  const [main, ...others] = all
  if (main === undefined && findings.length === 0) return notChecked('there is no tsconfig.json')
  if (main === undefined) return found(...findings)
  return {
    findings: [
      ...findings,
      ...checkTypes(main),
      ...checkTarget(main, others),
      ...checkParameters(project, main),
      ...checkMetadata(project, main),
      ...firstDifference(project, main, others),
    ],
    notChecked:
      main.settings.isStrict === null
        ? ['what depends on the version of TypeScript, which is not installed']
        : [],
  }
}

function checkTypes({ settings }: Configuration): Finding[] {
  const { resolution, isStrict } = settings
  const findings: Finding[] = []
  if (resolution !== null && CANNOT_RESOLVE.includes(resolution)) {
    findings.push(
      finding('E_TSCONFIG_RESOLUTION', {
        subject: 'moduleResolution',
        place: settings.placeOf('moduleResolution', 'module'),
        cause: `TypeScript resolves imports as '${resolution}', which finds no packages in node_modules. That is its default for this \`module\`.`,
        remedy:
          'Write "module": "nodenext", or "moduleResolution": "bundler" for code that a bundler puts together.',
      }),
    )
  }
  if (isStrict === false) {
    findings.push(
      finding('W_TSCONFIG_STRICT', {
        subject: 'strict',
        place: settings.placeOf('strict'),
        cause:
          'Without it, TypeScript does not compare handlers with their schemas: every type accepts null, and zod makes all fields optional.',
        remedy: 'Write "strict": true.',
      }),
    )
  }
  return findings
}

function checkTarget(main: Configuration, others: readonly Configuration[]): Finding[] {
  const compiled = [main, ...others].find(
    ({ settings: { target } }) => target !== null && target < OLDEST_TARGET,
  )
  if (compiled === undefined) return []
  return [
    finding('E_TSCONFIG_TARGET', {
      subject: 'target',
      place: compiled.settings.placeOf('target'),
      cause:
        'For this target, or without one before TypeScript 6, classes become functions, which cannot extend a class of a package.',
      remedy: 'Write "target": "es2022".',
    }),
  ]
}

/** Other frameworks have such decorators, too. */
function isOurs({ text }: Source): boolean {
  return /['"]blazon['"]/.test(text)
}

function checkParameters({ sources }: Project, { settings }: Configuration): Finding[] {
  const place = settings.isLegacy ? null : findIn(sources.filter(isOurs), OF_PARAMETER)
  if (place === null) return []
  return [
    finding('E_DECORATORS_DIALECT', {
      subject: 'experimentalDecorators',
      place,
      cause:
        'A parameter has a decorator. Standard decorators, which the tsconfig.json chooses, have none for parameters.',
      remedy:
        'Write "experimentalDecorators": true; or take the input from the request: see Parameters in docs/decorators.md.',
    }),
  ]
}

function checkMetadata(project: Project, { settings }: Configuration): Finding[] {
  if (!settings.emitsMetadata) return []
  const cause = unusedBecause(project, settings.isLegacy)
  if (cause === null) return []
  return [
    finding('W_METADATA_UNUSED', {
      subject: 'emitDecoratorMetadata',
      place: settings.placeOf('emitDecoratorMetadata'),
      ...cause,
    }),
  ]
}

const EMITTERS = ['tsc', 'swc', 'ts-node', 'nest']

function unusedBecause(
  { root, commands }: Project,
  isLegacy: boolean,
): Pick<Finding, 'cause' | 'remedy'> | null {
  if (!isLegacy) {
    const cause = 'It has no effect on standard decorators.'
    return { cause, remedy: 'Remove it, or write "experimentalDecorators": true.' }
  }
  if (findInstalled('reflect-metadata', root) === null) {
    const cause = 'Without the package reflect-metadata, nothing stores what the compiler emits.'
    return {
      cause,
      remedy: 'npm install reflect-metadata, and import it first; or remove the option.',
    }
  }
  const runs = commands.find((each) => runsTsx(each) || each.program === 'esbuild')
  if (runs === undefined || commands.some(({ program }) => EMITTERS.includes(program))) return null
  const cause = `The script ${runs.script} compiles with esbuild, which emits no metadata, and no other compiler was found.`
  return { cause, remedy: 'Remove it, or compile with tsc or swc.' }
}

/** The first other configuration with another dialect, and the first with other fields of classes. */
function firstDifference(
  { cwd }: Project,
  main: Configuration,
  others: readonly Configuration[],
): Finding[] {
  const { isLegacy, definesFields } = main.settings
  const name = relative(cwd, main.file)
  const legacy = others.find(({ settings }) => settings.isLegacy !== isLegacy)
  const fields = others.find(
    ({ settings }) => settings.definesFields !== null && settings.definesFields !== definesFields,
  )
  return [
    ...(legacy === undefined ? [] : [otherDialect(name, legacy, isLegacy)]),
    ...(fields === undefined || definesFields === null
      ? []
      : [otherFields(name, fields, definesFields)]),
  ]
}

function otherDialect(name: string, { settings, user }: Configuration, isLegacy: boolean): Finding {
  const [one, other] = isLegacy ? ['legacy', 'standard'] : ['standard', 'legacy']
  return finding('E_DECORATORS_DIFFER', {
    subject: 'experimentalDecorators',
    place: settings.placeOf('experimentalDecorators'),
    cause: `${name} chooses ${one} decorators, but ${user} uses ${other} ones.`,
    remedy: `Write "experimentalDecorators": ${isLegacy} here, too, or extend ${name}.`,
  })
}

function otherFields(name: string, { settings, user }: Configuration, defines: boolean): Finding {
  return finding('W_FIELDS_DIFFER', {
    subject: 'useDefineForClassFields',
    place: settings.placeOf('useDefineForClassFields', 'target'),
    cause: `A field without a value becomes undefined in one of ${name} and ${user}, and stays as it is in the other: a subclass that declares a field of its base class again loses its value.`,
    remedy: `Write "useDefineForClassFields": ${defines} here, too, or the same target as ${name}.`,
  })
}
