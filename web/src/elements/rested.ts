import { useEffect, useState } from 'preact/hooks';

/** The text once it has not changed for so many milliseconds. */
export function useRested(text: string, milliseconds: number): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), milliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
