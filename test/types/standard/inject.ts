// `@Inject` on fields in the standard dialect; `legacy/` has the cases of the legacy dialect.
import { Inject, Injectable, InjectionToken } from 'blazon'

const Now = new InjectionToken<() => Date>('Now')

@Injectable()
export class Service {
  @Inject(Now) readonly now!: () => Date
  @Inject('config') accessorless: { url: string } | undefined
}

export class Bad {
  // @ts-expect-error @Inject describes fields
  @Inject(Now)
  method() {}

  // @ts-expect-error an accessor is not a field
  @Inject(Now)
  accessor now: unknown
}
