// The profile that was last aged to from this browser.
import { useLocalStorage } from "@mantine/hooks";

export function useLastProfile() {
  const [last, setLast] = useLocalStorage({
    key: "patina.profile",
    defaultValue: "",
    getInitialValueInEffect: false,
  });
  const remember = (profile: string | null) => {
    if (profile !== null) setLast(profile);
  };
  return { last, remember };
}
