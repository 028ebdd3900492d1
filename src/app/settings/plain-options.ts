import type { ErrorReporter } from '../../contracts/observers.js'
import { invalid, shown } from '../../errors/config-error.js'
import type { OptionGroup } from '../../errors/option-group.js'

type SwitchGroup<D> = OptionGroup<boolean | undefined, boolean | D>

/** An option that is `true` or `false`. */
function switchGroup<D extends false | null>(name: string, byDefault: D): SwitchGroup<D> {
  return {
    unknown: () => [],
    check: (value: unknown) =>
      value === undefined || typeof value === 'boolean'
        ? []
        : [invalid(name, `${shown(value)} is not a boolean.`, 'Give true or false.')],
    resolve: (value) => value ?? byDefault,
  }
}

export const etagGroup: SwitchGroup<false> = switchGroup('etag', false)
export const strictGroup: SwitchGroup<false> = switchGroup('strict', false)
export const trustIdGroup: SwitchGroup<false> = switchGroup('trustRequestId', false)
/** The settings are `null` without the option: then `logs` decides. */
export const requestIdGroup: SwitchGroup<null> = switchGroup('requestIds', null)

/** The `onError` option. The settings are `null` without the option. */
export const onErrorGroup: OptionGroup<ErrorReporter | undefined, ErrorReporter | null> = {
  unknown: () => [],
  check(onError: unknown) {
    if (onError === undefined || typeof onError === 'function') return []
    const remedy = 'Give a function (error, context) => { … }.'
    return [invalid('onError', `${shown(onError)} is not a function.`, remedy)]
  },
  resolve: (onError) => onError ?? null,
}
