import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../message-of.js'
import type { CompilerSettings } from './compiler-settings.js'
import { type Finding, finding, sentence } from './finding.js'
import { type JsonText, readJson, recordAt } from './json-text.js'
import type { Project } from './project.js'

/** The versions of the proposal that work as the standard does. */
const STANDARD = ['2022-03', '2023-11']

/** Compares `.swcrc` with the dialect of the `tsconfig.json`. */
export function checkSwc({ root }: Project, { isLegacy }: CompilerSettings): Finding[] {
  const file = join(root, '.swcrc')
  if (!existsSync(file)) return []
  try {
    const rc = readJson(file)
    return [...checkParser(rc), ...checkDialect(rc, isLegacy), ...checkNames(rc)]
  } catch (error) {
    const facts = { cause: sentence(messageOf(error)), remedy: 'Make it JSON.' }
    return [
      finding('E_DECORATORS_KEPT', { subject: '.swcrc', place: { file, line: null }, ...facts }),
    ]
  }
}

function checkParser({ file, value, lineOf }: JsonText): Finding[] {
  const parser = recordAt(value, 'jsc', 'parser')
  if (parser['decorators'] === true) return []
  return [
    finding('E_DECORATORS_KEPT', {
      subject: 'jsc.parser.decorators',
      place: { file, line: lineOf('jsc', 'parser') },
      cause: 'swc refuses decorators without it.',
      remedy: 'Write "parser": { "syntax": "typescript", "decorators": true }.',
    }),
  ]
}

function checkDialect({ file, value, lineOf }: JsonText, isLegacy: boolean): Finding[] {
  const { legacyDecorator, decoratorVersion } = recordAt(value, 'jsc', 'transform')
  const isStandard = legacyDecorator !== true && STANDARD.includes(String(decoratorVersion))
  if (isLegacy ? legacyDecorator === true : isStandard) return []
  const wanted = isLegacy ? '"legacyDecorator": true' : '"decoratorVersion": "2022-03"'
  const [dialect, other] = isLegacy ? ['legacy', 'others'] : ['standard', 'another version of them']
  return [
    finding('E_DECORATORS_DIFFER', {
      subject: 'jsc.transform',
      place: { file, line: lineOf('jsc', 'transform') ?? lineOf('jsc') },
      cause: `tsconfig.json chooses ${dialect} decorators, and swc compiles ${other}.`,
      remedy: `Write "transform": { ${wanted} }${isLegacy ? '' : ', without legacyDecorator'}.`,
    }),
  ]
}

function checkNames({ file, value, lineOf }: JsonText): Finding[] {
  const minify = recordAt(value, 'jsc', 'minify')
  const { mangle } = minify
  const keeps = recordAt(mangle)['keep_classnames'] === true || minify['keep_classnames'] === true
  if (mangle === undefined || mangle === false || keeps) return []
  return [
    finding('W_NAMES_MINIFIED', {
      subject: 'jsc.minify.mangle',
      place: { file, line: lineOf('jsc', 'minify', 'mangle') },
      cause:
        'It shortens the names of classes, which are the tags and the operation ids of the document, and the names in errors and log lines.',
      remedy: 'Keep them: "mangle": { "keep_classnames": true }.',
    }),
  ]
}
