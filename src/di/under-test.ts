import { InjectionToken } from './token.js'

/** Whether the application runs in a `TestApp`, which provides `true`. Default: `false`. */
export const UnderTest: InjectionToken<boolean> = new InjectionToken<boolean>('UnderTest', {
  useFactory: () => false,
})
