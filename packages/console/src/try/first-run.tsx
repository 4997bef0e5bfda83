import './first-run.css';
import { attempt, dollars, dollarText } from '@asset-gateway/protocol';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { useGateway } from '../gateway.ts';
import { Button, TaskButton, useTask } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useReloadable } from '../parts/hooks.ts';
import { CallReport } from '../parts/use-call.ts';
import { hrefOf } from '../router.ts';
import { useWallet } from '../wallet/funds.ts';
import { readStored, store } from '../wallet/storage.ts';
import { usdcOn, useBalances } from '../wallet/use-balance.ts';
import { CLUSTER, fillWallet, paidCall, payOnce, signFree } from './first-steps.ts';

const NAME = 'first-run';
const [SIGNED, PAID] = [1, 3];

/** A step: the words before and after it, and its button's work. */
interface FirstRunStep {
  readonly title: string;
  readonly done: string;
  /** A sentence: what the step does, or its result. */
  readonly said: string;
  readonly isDone: boolean;
  readonly label: string;
  readonly doing: string;
  /** Resolves with the result. Undefined while the step cannot start. */
  readonly work: (() => Promise<string>) | undefined;
}

/** The steps that this browser remembers as done. */
function useDone() {
  const [done, setDone] = useState(() => readStored(NAME, 0));
  const keep = (next: number): void => {
    attempt(() => store(NAME, next), undefined);
    setDone(next);
  };
  return [done, keep] as const;
}

/** The progress of the first run: the steps done, their sentences, the price of the paid call, and the balance. */
function useProgress() {
  const report = useContext(CallReport);
  const balances = useBalances();
  const [done, keep] = useDone();
  const [said, setSaid] = useState<Readonly<Record<string, string>>>({});
  const held = usdcOn(balances, CLUSTER);
  const isNext = done === SIGNED && held !== undefined && held > 0;
  const sold = useReloadable(async () => (isNext ? paidCall() : undefined), [isNext]);
  /** Does a step's work, and stores its sentence. */
  const doing = (name: string, work: () => Promise<string>, next?: number) => async (): Promise<string> => {
    const sentence = await work();
    setSaid((before) => ({ ...before, [name]: sentence }));
    if (next !== undefined) keep(next);
    return sentence;
  };
  return { report, done, said, call: sold.value, held, doing, error: sold.error ?? balances.error };
}

type Progress = ReturnType<typeof useProgress>;

const signing = ({ report, done, said, doing }: Progress): FirstRunStep => ({
  title: 'Sign a free call',
  done: 'Signed for free',
  said: said.sign ?? 'Ask for the price of gold. A key in this browser signs; it costs nothing.',
  isDone: done >= SIGNED,
  label: 'Sign and ask',
  doing: 'Signing …',
  work: doing('sign', () => signFree(report), SIGNED),
});

/** Whether the balance covers the call, as far as the price is known. */
const covers = ({ held, call }: Progress): boolean => held !== undefined && held >= (call?.micros ?? 1);

function filling(progress: Progress): FirstRunStep {
  const { done, said, held, doing } = progress;
  const isFilled = done >= SIGNED && (done >= PAID || covers(progress));
  const holds = held === undefined ? '' : `This browser holds ${dollars(held)} USDC.`;
  return {
    title: 'Get play USDC',
    done: 'Got play USDC',
    said: isFilled ? (said.fill ?? holds) : 'The faucet of the sandbox fills the wallet of this browser.',
    isDone: isFilled,
    label: 'Get 10 play USDC',
    doing: 'Waiting …',
    work: held === undefined ? undefined : doing('fill', fillWallet),
  };
}

const paying = (progress: Progress): FirstRunStep => ({
  title: 'Pay for a call',
  done: 'Paid',
  said: progress.said.pay ?? 'Ask a Solana RPC for the balance of your address. You pay only for an answer.',
  isDone: progress.done >= PAID,
  label: progress.call ? `Pay ${dollarText(progress.call.micros)}` : 'Pay',
  doing: 'Paying …',
  // Nothing is signed before the balance covers the price.
  work: progress.call && covers(progress) ? progress.doing('pay', payOnce(progress.call), PAID) : undefined,
});

const Mark = ({ at, isDone }: { readonly at: number; readonly isDone: boolean }) => (
  <span class="mark" aria-hidden="true">
    {isDone ? (
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M3.5 8.5l3 3 6-7" />
      </svg>
    ) : (
      at + 1
    )}
  </span>
);

interface StepItemProps {
  readonly step: FirstRunStep;
  readonly at: number;
  readonly current: number;
  readonly task: ReturnType<typeof useTask>;
  readonly onPress: () => void;
}

function StepItem({ step, at, current, task, onPress }: StepItemProps) {
  const { title, done, said, isDone, label, doing, work } = step;
  const run = async () => {
    onPress();
    return { said: (await work?.()) ?? '' };
  };
  return (
    <li class={isDone ? 'done' : at === current ? 'current' : undefined}>
      <Mark at={at} isDone={isDone} />
      <h2>{isDone ? done : title}</h2>
      <p class="small muted">{said}</p>
      {at === current && (
        <TaskButton
          class="first"
          task={task}
          label={task.isBusy ? doing : label}
          work={run}
          disabled={!work || task.isBusy}
        />
      )}
    </li>
  );
}

const Over = ({ close }: { readonly close: () => void }) => (
  <p class="row over">
    <span>
      That is all there is to it. Call any route under <a href={hrefOf('routes')}>Routes</a>, or see this payment under{' '}
      <a href={hrefOf('wallet')}>Wallet</a>.
    </span>
    <Button class="quiet" label="Close" onClick={close} />
  </p>
);

/** The steps. The first that is not done has a button. */
function Strip({ close }: { readonly close: () => void }) {
  const progress = useProgress();
  const steps = [signing(progress), filling(progress), paying(progress)];
  const task = useTask();
  const list = useRef<HTMLElement>(null);
  const wasPressed = useRef(false);
  const onPress = (): void => {
    wasPressed.current = true;
  };
  const error = task.error ?? progress.error;
  const current = steps.findIndex(({ isDone }) => !isDone);
  const isReady = steps[current]?.work !== undefined;
  // The button of the finished step is gone, so the focus moves to the next one.
  useEffect(() => {
    if (wasPressed.current && !task.isBusy) list.current?.querySelector('button')?.focus();
  }, [current, isReady, task.isBusy]);
  return (
    <section class="first-run panel" aria-label="First run" ref={list}>
      <ol>
        {steps.map((step, at) => (
          <StepItem key={step.title} {...{ step, at, current, task, onPress }} />
        ))}
      </ol>
      <p role="status" class="unseen">
        {task.isBusy ? steps[current]?.doing : task.outcome?.said}
      </p>
      {error !== undefined && <Failure error={error} />}
      {current < 0 && <Over close={close} />}
    </section>
  );
}

/** The first run in the sandbox: sign, fill the wallet, pay. After the payment it is not shown again. */
export function FirstRun() {
  const { isSandbox = false } = useGateway() ?? {};
  const { wallet } = useWallet();
  const [isOver, setOver] = useState(() => readStored(NAME, 0) >= PAID || wallet.purchases.length > 0);
  // The faucet fills the key of this browser only.
  return isSandbox && !isOver && !wallet.external ? <Strip close={() => setOver(true)} /> : null;
}
