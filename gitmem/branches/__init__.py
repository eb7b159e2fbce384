"""Which memories belong to what is checked out: where they were born, what was merged."""
